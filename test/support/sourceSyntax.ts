import path from 'node:path';
import ts from 'typescript';

/** What the editor shows in a place where it may draw links, icons or marks, by the type that has it. */
export const shownProperties: Readonly<Record<string, readonly string[]>> = {
  MessageOptions: ['detail'],
  InputBoxOptions: ['title', 'prompt', 'placeHolder'],
  InputBox: ['prompt', 'placeholder', 'validationMessage'],
  InputBoxValidationMessage: ['message'],
  QuickInput: ['title'],
  QuickInputButton: ['tooltip'],
  QuickPick: ['placeholder'],
  QuickPickOptions: ['title', 'placeHolder'],
  ProgressOptions: ['title'],
  StatusBarItem: ['text', 'tooltip', 'name'],
  TreeView: ['message', 'title', 'description'],
  ViewBadge: ['tooltip'],
  TerminalOptions: ['name'],
  Command: ['title', 'tooltip'],
  WebviewPanel: ['title'],
  // Of the quick-input engine, which hands them on by spreads.
  AnyLevel: ['title'],
  StepTitle: ['title'],
  TextLevel: ['prompt'],
  TextStep: ['prompt'],
};
/** Calls and the argument that is shown. */
export const shownArguments: Readonly<Record<string, number>> = {
  message: 1,
  suggest: 1,
  showInformationMessage: 0,
  showWarningMessage: 0,
  showErrorMessage: 0,
  setStatusBarMessage: 0,
  createWebviewPanel: 1,
  Diagnostic: 1,
  CodeAction: 0,
};
export const shownNames = new Set(Object.values(shownProperties).flat());
/** These make plain words of what they are given. */
export const cleaners = new Set([
  't',
  'localize',
  'plainLabel',
  'plainLines',
  'plainArgument',
  'markdownLines',
  'markdownWords',
  'formatText',
]);
/** Methods whose result is made of what they are called on, and of the result of their function. */
export const passing = new Set([
  ...['trim', 'trimEnd', 'slice', 'toUpperCase', 'toLowerCase', 'charAt', 'split', 'at', 'filter', 'sort'],
  ...[
    'toSorted',
    'reverse',
    'values',
    'flat',
    'map',
    'flatMap',
    'join',
    'concat',
    'find',
    'then',
    'replace',
    'replaceAll',
  ],
]);

/** Arguments of such methods that get into their result. */
export const made = new Map<string, (given: readonly ts.Expression[]) => readonly ts.Expression[]>([
  ['join', (given) => given],
  ['concat', (given) => given],
  ['replace', (given) => given.slice(1)],
  ['replaceAll', (given) => given.slice(1)],
]);

export function returnsOf(declaration: ts.FunctionLikeDeclaration): readonly ts.Expression[] {
  const { body } = declaration;
  if (!body) {
    return [];
  }
  if (!ts.isBlock(body)) {
    return [body];
  }
  const found: ts.Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) {
      return;
    }
    if (ts.isReturnStatement(node) && node.expression) {
      found.push(node.expression);
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(body, visit);
  return found;
}

export function nameOfCallee(expression: ts.Expression): string {
  return ts.isPropertyAccessExpression(expression)
    ? expression.name.text
    : ts.isIdentifier(expression)
      ? expression.text
      : '';
}

export function isOfEditor(node: ts.Node | undefined): boolean {
  return node?.getSourceFile().fileName.includes('/@types/vscode/') === true;
}

/** A field of an interface has another symbol in each type that is made of it. */
export function isSame(one: ts.Symbol, other: ts.Symbol): boolean {
  return one.declarations?.some((declaration) => other.declarations?.includes(declaration)) === true;
}

export function isShown(symbol: ts.Symbol): boolean {
  return (symbol.declarations ?? []).some((declaration) => {
    const owner = declaration.parent;
    return (
      (isOfEditor(declaration) || isOfEngine(declaration)) &&
      (ts.isInterfaceDeclaration(owner) || ts.isClassDeclaration(owner)) &&
      shownProperties[owner.name?.text ?? '']?.includes(symbol.name) === true
    );
  });
}

function isOfEngine(declaration: ts.Node): boolean {
  return /\/src\/editor\/quick(?:Levels|Pick)\.ts$/.test(declaration.getSourceFile().fileName);
}

export function isOwn(declaration: ts.Node): boolean {
  return !declaration.getSourceFile().isDeclarationFile;
}

export type Call = ts.CallExpression | ts.NewExpression;

export interface Field {
  readonly object: ts.ObjectLiteralExpression;
  readonly name: string;
  readonly value: ts.Expression;
}

export function fieldsOf(object: ts.ObjectLiteralExpression): readonly Field[] {
  return object.properties.flatMap((one) => {
    if (!ts.isPropertyAssignment(one) && !ts.isShorthandPropertyAssignment(one)) {
      return [];
    }
    if (!ts.isIdentifier(one.name)) {
      return [];
    }
    const value = ts.isPropertyAssignment(one) ? one.initializer : one.name;
    return [{ object, name: one.name.text, value }];
  });
}

export function nameOfFunction(declaration: ts.SignatureDeclaration | ts.JSDocSignature): string {
  if (ts.isJSDocSignature(declaration)) {
    return '';
  }
  if (ts.isConstructorDeclaration(declaration)) {
    return declaration.parent.name?.text ?? '';
  }
  const named =
    declaration.name ?? (ts.isVariableDeclaration(declaration.parent) ? declaration.parent.name : undefined);
  return named && ts.isIdentifier(named) ? named.text : '';
}

export function placeOf(node: ts.Node): string {
  const file = node.getSourceFile();
  const { line } = file.getLineAndCharacterOfPosition(node.getStart());
  return `${path.relative(process.cwd(), file.fileName)}:${line + 1}`;
}

export function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = map.get(key);
  if (list) {
    list.push(value);
  } else {
    map.set(key, [value]);
  }
}
