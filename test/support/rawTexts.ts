import ts from 'typescript';
import {
  cleaners,
  fieldsOf,
  isOwn,
  isSame,
  isShown,
  made,
  nameOfCallee,
  nameOfFunction,
  passing,
  placeOf,
  push,
  returnsOf,
  shownArguments,
  shownNames,
  type Call,
  type Field,
} from './sourceSyntax';

export interface RawText {
  /** File and line of what is shown. */
  readonly place: string;
  /** The expression in it that no sentence has cleaned. */
  readonly source: string;
}

/**
 * Follows each text that the code shows back to where it comes from, through variables, parameters, functions and
 * fields, and gives those that come from anything else than a sentence, a literal or a number.
 */
export class RawTexts {
  private readonly checker: ts.TypeChecker;
  /** By name alone: to ask for the type of each would take a minute. */
  private readonly calls = new Map<string, Call[]>();
  private readonly fields = new Map<string, Field[]>();
  private readonly assigned = new Map<string, ts.BinaryExpression[]>();
  private readonly classFields = new Map<string, ts.PropertyDeclaration[]>();
  private readonly shown: ts.Expression[] = [];
  private readonly known = new Map<ts.Node, readonly ts.Node[]>();

  constructor(program: ts.Program) {
    this.checker = program.getTypeChecker();
    for (const file of program.getSourceFiles()) {
      if (!file.fileName.includes('/node_modules/')) {
        this.collect(file);
      }
    }
  }

  get places(): number {
    return this.shown.length;
  }

  find(): readonly RawText[] {
    return this.shown.flatMap((expression) =>
      this.rawIn(expression).map((raw) => ({
        place: placeOf(expression),
        source: `${placeOf(raw)} ${raw.getText()}`,
      })),
    );
  }

  private collect(node: ts.Node): void {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const name = nameOfCallee(node.expression);
      push(this.calls, name, node);
      const argument = node.arguments?.[shownArguments[name] ?? Infinity];
      if (argument) {
        this.shown.push(argument);
      }
    } else if (ts.isObjectLiteralExpression(node)) {
      for (const field of fieldsOf(node)) {
        push(this.fields, field.name, field);
        if (shownNames.has(field.name) && this.expected(field).some((one) => isShown(one))) {
          this.shown.push(field.value);
        }
      }
    } else if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
      const name = nameOfCallee(node.left);
      push(this.assigned, name, node);
      const symbol = shownNames.has(name) ? this.checker.getSymbolAtLocation(node.left) : undefined;
      if (symbol && isShown(symbol)) {
        this.shown.push(node.right);
      }
    }
    if (ts.isPropertyDeclaration(node) && ts.isIdentifier(node.name)) {
      push(this.classFields, node.name.text, node);
    }
    ts.forEachChild(node, (child) => this.collect(child));
  }

  /** What the code puts into a field or a variable. */
  private given(symbol: ts.Symbol): readonly ts.Expression[] {
    const inObjects = (this.fields.get(symbol.name) ?? []).filter((field) =>
      this.expected(field).some((one) => one === symbol || isSame(one, symbol)),
    );
    const assigned = (this.assigned.get(symbol.name) ?? []).filter(({ left }) => {
      const one = this.checker.getSymbolAtLocation(left);
      return one !== undefined && isSame(one, symbol);
    });
    return [
      ...inObjects.map(({ value }) => value),
      ...assigned.map(({ right }) => right),
      ...this.members(symbol),
    ];
  }

  private givenTo(accessor: ts.SetAccessorDeclaration): readonly ts.Expression[] {
    const symbol = this.checker.getSymbolAtLocation(accessor.name);
    return symbol ? this.given(symbol) : [];
  }

  /** Fields of that name in classes that stand for an interface. */
  private members(symbol: ts.Symbol): readonly ts.Expression[] {
    const owner = symbol.declarations?.[0]?.parent;
    const name = owner && ts.isInterfaceDeclaration(owner) ? owner.name.text : undefined;
    return (this.classFields.get(symbol.name) ?? []).flatMap(({ parent, initializer }) => {
      const stands = parent.heritageClauses?.some(({ types }) =>
        types.some(({ expression }) => expression.getText() === name),
      );
      return stands === true && initializer ? [initializer] : [];
    });
  }

  /** The fields of the types that are expected where an object stands. */
  private expected({ object, name }: Field): readonly ts.Symbol[] {
    const type = this.checker.getContextualType(object);
    const types = type === undefined ? [] : type.isUnion() ? type.types : [type];
    return types.flatMap((one) => one.getProperty(name) ?? []);
  }

  private rawIn(node: ts.Node): readonly ts.Node[] {
    const before = this.known.get(node);
    if (before) {
      return before;
    }
    // What leads back to itself adds nothing.
    this.known.set(node, []);
    const raw = [...new Set(this.check(node))];
    this.known.set(node, raw);
    return raw;
  }

  private all(nodes: readonly ts.Node[]): readonly ts.Node[] {
    return nodes.flatMap((node) => this.rawIn(node));
  }

  private check(node: ts.Node): readonly ts.Node[] {
    if (ts.isExpression(node) && this.isHarmless(node)) {
      return [];
    }
    if (ts.isTemplateExpression(node)) {
      return this.all(node.templateSpans.map(({ expression }) => expression));
    }
    if (ts.isParenthesizedExpression(node) || ts.isAwaitExpression(node) || ts.isAsExpression(node)) {
      return this.rawIn(node.expression);
    }
    if (ts.isSpreadElement(node) || ts.isNonNullExpression(node)) {
      return this.rawIn(node.expression);
    }
    if (ts.isConditionalExpression(node)) {
      return this.all([node.whenTrue, node.whenFalse]);
    }
    if (ts.isBinaryExpression(node)) {
      const isAnd = node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken;
      return this.all(isAnd ? [node.right] : [node.left, node.right]);
    }
    if (ts.isArrayLiteralExpression(node)) {
      return this.all(node.elements);
    }
    if (ts.isObjectLiteralExpression(node)) {
      return this.all(
        node.properties.flatMap((one) => (ts.isPropertyAssignment(one) ? [one.initializer] : [])),
      );
    }
    if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) {
      return this.all(returnsOf(node));
    }
    if (ts.isCallExpression(node)) {
      return this.checkCall(node);
    }
    if (ts.isNewExpression(node) && nameOfCallee(node.expression) === 'MarkdownString') {
      return this.all(node.arguments ?? []);
    }
    if (ts.isElementAccessExpression(node)) {
      return this.rawIn(node.expression);
    }
    if (ts.isIdentifier(node) || ts.isPropertyAccessExpression(node)) {
      return this.checkName(node);
    }
    return [node];
  }

  /** Numbers, literals and nothing at all. */
  private isHarmless(node: ts.Expression): boolean {
    if (ts.isRegularExpressionLiteral(node)) {
      return true;
    }
    const type = this.checker.getTypeAtLocation(node);
    const harmless =
      ts.TypeFlags.NumberLike |
      ts.TypeFlags.BooleanLike |
      ts.TypeFlags.StringLiteral |
      ts.TypeFlags.Undefined |
      ts.TypeFlags.Null |
      ts.TypeFlags.Void |
      ts.TypeFlags.Never;
    return (type.isUnion() ? type.types : [type]).every(({ flags }) => (flags & harmless) !== 0);
  }

  private checkCall(call: ts.CallExpression): readonly ts.Node[] {
    const name = nameOfCallee(call.expression);
    if (cleaners.has(name)) {
      return [];
    }
    if (name === 'String' || name === 'redact') {
      return this.all(call.arguments);
    }
    const declaration = this.checker.getResolvedSignature(call)?.declaration;
    const receiver = ts.isPropertyAccessExpression(call.expression) ? call.expression.expression : undefined;
    if (declaration && cleaners.has(nameOfFunction(declaration))) {
      return [];
    }
    if (declaration && isOwn(declaration) && 'body' in declaration && declaration.body) {
      return this.all(returnsOf(declaration));
    }
    if (ts.isElementAccessExpression(call.expression)) {
      return this.rawIn(call.expression.expression);
    }
    if (receiver && this.isHarmless(receiver)) {
      return [];
    }
    if (receiver && /^(toFixed|toLocale\w*String|format)$/.test(name)) {
      return [];
    }
    if (receiver && passing.has(name)) {
      const functions = call.arguments.filter((one) => ts.isArrowFunction(one) || ts.isIdentifier(one));
      const makes = name === 'map' || name === 'flatMap' || name === 'then';
      return makes ? this.all(functions) : this.all([receiver, ...(made.get(name)?.(call.arguments) ?? [])]);
    }
    if (declaration && isOwn(declaration)) {
      return this.rawIn(call.expression);
    }
    return [call];
  }

  private checkName(node: ts.Identifier | ts.PropertyAccessExpression): readonly ts.Node[] {
    if (cleaners.has(nameOfCallee(node))) {
      return [];
    }
    let symbol = this.checker.getSymbolAtLocation(node);
    if (symbol && ts.isIdentifier(node) && ts.isShorthandPropertyAssignment(node.parent)) {
      symbol = this.checker.getShorthandAssignmentValueSymbol(node.parent);
    }
    if (symbol && (symbol.flags & ts.SymbolFlags.Alias) !== 0) {
      symbol = this.checker.getAliasedSymbol(symbol);
    }
    const declarations = symbol?.declarations ?? [];
    if (!symbol || declarations.length === 0) {
      return [node];
    }
    return declarations.flatMap((declaration) => this.checkDeclaration(declaration, symbol, node));
  }

  private checkDeclaration(declaration: ts.Declaration, symbol: ts.Symbol, at: ts.Node): readonly ts.Node[] {
    if (ts.isParameter(declaration)) {
      return this.checkParameter(declaration, at);
    }
    if (ts.isBindingElement(declaration)) {
      return this.checkBinding(declaration, at);
    }
    if (ts.isFunctionDeclaration(declaration) || ts.isMethodDeclaration(declaration)) {
      return this.all(returnsOf(declaration));
    }
    if (ts.isGetAccessorDeclaration(declaration)) {
      return this.all(returnsOf(declaration));
    }
    if (ts.isVariableDeclaration(declaration)) {
      const { initializer, parent } = declaration;
      const given = this.given(symbol);
      if (initializer) {
        return this.all([initializer, ...given]);
      }
      return ts.isForOfStatement(parent.parent)
        ? this.rawIn(parent.parent.expression)
        : this.allOr(given, at);
    }
    if (ts.isPropertyAssignment(declaration)) {
      return this.rawIn(declaration.initializer);
    }
    if (ts.isPropertySignature(declaration) || ts.isPropertyDeclaration(declaration)) {
      const initializer = ts.isPropertyDeclaration(declaration) ? declaration.initializer : undefined;
      return this.allOr([...this.given(symbol), ...(initializer ? [initializer] : [])], at);
    }
    return [at];
  }

  /** Nothing is known of what nothing gives. */
  private allOr(nodes: readonly ts.Node[], at: ts.Node): readonly ts.Node[] {
    return nodes.length === 0 ? [at] : this.all(nodes);
  }

  private checkParameter(parameter: ts.ParameterDeclaration, at: ts.Node): readonly ts.Node[] {
    const index = parameter.parent.parameters.indexOf(parameter);
    const owner = parameter.parent;
    const calls = (this.calls.get(nameOfFunction(owner)) ?? []).filter(
      (call) => this.checker.getResolvedSignature(call)?.declaration === owner,
    );
    const given = [
      ...calls.flatMap((call) => call.arguments?.[index] ?? []),
      ...(ts.isSetAccessor(owner) ? this.givenTo(owner) : []),
    ];
    // The function of a list's method gets what is in the list.
    const call = ts.isArrowFunction(owner) && ts.isCallExpression(owner.parent) ? owner.parent : undefined;
    if (call && ts.isPropertyAccessExpression(call.expression) && passing.has(call.expression.name.text)) {
      return this.rawIn(call.expression.expression);
    }
    return this.allOr([...given, ...(parameter.initializer ? [parameter.initializer] : [])], at);
  }

  private checkBinding(element: ts.BindingElement, at: ts.Node): readonly ts.Node[] {
    const name = element.propertyName ?? element.name;
    const type = this.checker.getTypeAtLocation(element.parent);
    const symbol = ts.isIdentifier(name) ? type.getProperty(name.text) : undefined;
    if (symbol && ts.isObjectBindingPattern(element.parent)) {
      const declarations = symbol.declarations ?? [];
      return declarations.flatMap((one) => this.checkDeclaration(one, symbol, at));
    }
    const holder = element.parent.parent;
    return ts.isVariableDeclaration(holder) && holder.initializer ? this.rawIn(holder.initializer) : [at];
  }
}
