/** Small defects that a test should notice: where one can be put into a source, and how. */
import ts from 'typescript';

const swapped = new Map([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
  [ts.SyntaxKind.SlashToken, '*'],
]);

/**
 * Every place of a source where one operator, literal, condition or call can be changed, as `{ line, start, end, text }`:
 * `text` takes the place of the characters from `start` up to `end`.
 */
export function mutationsOf(file, source) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found = [];
  const add = (node, text) => {
    const start = node.getStart(tree);
    const line = tree.getLineAndCharacterOfPosition(start).line + 1;
    found.push({ line, start, end: node.getEnd(), was: node.getText(tree).split('\n')[0], text });
  };
  const visit = (node) => {
    // Types and imports are gone when the program runs.
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
    if (ts.isBinaryExpression(node)) {
      const other = swapped.get(node.operatorToken.kind);
      const joinsText = [node.left, node.right].some(
        (side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side),
      );
      if (other !== undefined && !(node.operatorToken.kind === ts.SyntaxKind.PlusToken && joinsText)) {
        add(node.operatorToken, other);
      }
    } else if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, 'false');
    else if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, 'true');
    else if (ts.isNumericLiteral(node)) add(node, `(${node.text} + 1)`);
    else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
      add(node, node.operand.getText(tree));
    } else if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
      const condition = ts.isIfStatement(node) ? node.expression : node.condition;
      add(condition, `!(${condition.getText(tree)})`);
    } else if (ts.isExpressionStatement(node) && isCall(node.expression)) add(node, ';');
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function isCall(node) {
  return ts.isAwaitExpression(node)
    ? isCall(node.expression)
    : ts.isCallExpression(node) && node.expression.kind !== ts.SyntaxKind.SuperKeyword;
}

export function applied(source, { start, end, text }) {
  return source.slice(0, start) + text + source.slice(end);
}

/** Numbers from 0 up to 1 that are the same for the same seed (mulberry32). */
export function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** `count` places drawn from all of them, each file as likely as it is large. */
export function draw(places, count, random) {
  const left = [...places];
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(Math.floor(random() * left.length), 1),
  ).flat();
}
