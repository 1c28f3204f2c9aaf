/** Values of context keys by name. */
export type ContextKeys = Readonly<Record<string, unknown>>;

/**
 * Tells whether a `when` clause of the manifest holds. Knows `||`, `&&`, `!`, brackets, `==`, `!=`, `=~`, `in` and
 * the comparisons, as documented for the editor's clauses; throws at anything else.
 */
export function holds(clause: string | undefined, keys: ContextKeys): boolean {
  if (clause === undefined || clause.trim() === '') {
    return true;
  }
  const tokens = tokenize(clause);
  let at = 0;
  const next = () => tokens[at++];
  const peek = () => tokens[at];

  function or(): boolean {
    let value = and();
    while (peek() === '||') {
      next();
      const right = and();
      value = value || right;
    }
    return value;
  }
  function and(): boolean {
    let value = unary();
    while (peek() === '&&') {
      next();
      const right = unary();
      value = value && right;
    }
    return value;
  }
  function unary(): boolean {
    const token = next();
    if (token === '!') {
      return !unary();
    }
    if (token === '(') {
      const value = or();
      if (next() !== ')') {
        throw new Error(`A bracket is not closed in: ${clause ?? ''}`);
      }
      return value;
    }
    if (token === undefined) {
      throw new Error(`Something is missing in: ${clause ?? ''}`);
    }
    return comparison(token);
  }
  function comparison(key: string): boolean {
    const value = key === 'true' ? true : key === 'false' ? false : keys[key];
    switch (peek()) {
      case '==':
        next();
        return same(value, next());
      case '!=':
        next();
        return !same(value, next());
      case '=~':
        next();
        return pattern(next()).test(value === undefined ? '' : asText(value));
      case '>':
      case '>=':
      case '<':
      case '<=':
        return ordered(next() ?? '', Number(value), Number(next()));
      case undefined:
      default:
        return Boolean(value);
    }
  }
  const result = or();
  if (at !== tokens.length) {
    throw new Error(`Not understood: ${tokens.slice(at).join(' ')} in: ${clause}`);
  }
  return result;
}

function tokenize(clause: string): string[] {
  const token = /\s*(\|\||&&|==|!=|=~|>=|<=|>|<|!|\(|\)|'[^']*'|\/(?:\\.|[^/\\])+\/i?|[\w.:/-]+)/y;
  const tokens: string[] = [];
  while (token.lastIndex < clause.trimEnd().length) {
    const from = token.lastIndex;
    const found = token.exec(clause)?.[1];
    if (found === undefined) {
      throw new Error(`Not understood: ${clause.slice(from)}`);
    }
    tokens.push(found);
  }
  return tokens;
}

function same(value: unknown, literal = ''): boolean {
  const text = literal.replace(/^'(.*)'$/, '$1');
  return typeof value === 'boolean' ? value === (text === 'true') : asText(value ?? '') === text;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function pattern(literal = ''): RegExp {
  const [, source, flags] = /^\/(.*)\/(i?)$/.exec(literal) ?? [];
  if (source === undefined) {
    throw new Error(`Not a pattern: ${literal}`);
  }
  return new RegExp(source, flags);
}

function ordered(operator: string, left: number, right: number): boolean {
  if (operator === '>') {
    return left > right;
  }
  if (operator === '>=') {
    return left >= right;
  }
  return operator === '<' ? left < right : left <= right;
}
