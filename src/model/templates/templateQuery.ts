import { text, type Text } from '../../util/text';
import type { TemplateRecordField } from '../../wire/template';
import type { Span } from '../documents/envFlags';

/**
 * The text form of a search of public templates: `recommended = true and image in [a, b]`. Fields and
 * operators are the documented ones (docs/service/templates.md#search).
 */
export type QueryType = 'text' | 'number' | 'flag' | 'time';

export const queryFields: Readonly<Record<string, QueryType>> = {
  name: 'text',
  image: 'text',
  tag: 'text',
  recommended: 'flag',
  count_created: 'number',
  recommended_disk_space: 'number',
  ssh_direct: 'flag',
  use_ssh: 'flag',
  jup_direct: 'flag',
  creator_id: 'number',
  created_at: 'time',
  recent_create_date: 'time',
  default_tag: 'text',
  docker_login_repo: 'text',
  hash_id: 'text',
  id: 'number',
} satisfies Partial<Record<TemplateRecordField, QueryType>>;

const operatorNames = { '=': 'eq', '!=': 'neq', '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' } as const;
export type QueryOperator = (typeof operatorNames)[keyof typeof operatorNames] | 'in' | 'notin';

const operatorsOf: Readonly<Record<QueryType, readonly string[]>> = {
  text: ['=', '!=', 'in', 'notin'],
  flag: ['=', '!='],
  number: ['=', '!=', '<', '<=', '>', '>=', 'in', 'notin'],
  time: ['<', '<=', '>', '>=', '=', '!='],
};

type Scalar = string | number | boolean;
export type TemplateFilters = Readonly<Record<string, Readonly<Record<string, Scalar | readonly Scalar[]>>>>;

export interface QueryProblem {
  readonly span: Span;
  readonly message: Text;
}

export type ParsedQuery =
  | { readonly kind: 'filters'; readonly filters: TemplateFilters }
  | { readonly kind: 'problem'; readonly problem: QueryProblem };

interface Token extends Span {
  readonly kind: 'word' | 'quoted' | 'operator' | 'open' | 'close' | 'comma';
  readonly value: string;
}

const tokenPattern =
  /\s+|"((?:[^"\\]|\\.)*)"|'([^']*)'|(<=|>=|!=|==|=|<|>)|(\[)|(\])|(,)|([^\s"'<>=![\],]+)/gy;

function tokenize(source: string): Token[] | number {
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    tokenPattern.lastIndex = at;
    const match = tokenPattern.exec(source);
    if (!match) {
      return at;
    }
    const [whole, double, single, operator, open, close, comma, word] = match;
    const token = (kind: Token['kind'], value: string) =>
      tokens.push({ kind, value, offset: at, length: whole.length });
    if (double !== undefined) {
      token('quoted', double.replace(/\\(.)/g, '$1'));
    } else if (single !== undefined) {
      token('quoted', single);
    } else if (operator !== undefined) {
      token('operator', operator === '==' ? '=' : operator);
    } else if (open !== undefined) {
      token('open', '[');
    } else if (close !== undefined) {
      token('close', ']');
    } else if (comma !== undefined) {
      token('comma', ',');
    } else if (word !== undefined) {
      token('word', word);
    }
    at += whole.length;
  }
  return tokens;
}

class QueryError extends Error {
  constructor(readonly problem: QueryProblem) {
    super("The query can't be read");
  }
}

/** Reads a value of a field. Times are ISO dates or Unix seconds. */
function readValue(token: Token, field: string, type: QueryType): Scalar {
  const fail = (message: Text): never => {
    throw new QueryError({ span: token, message });
  };
  switch (type) {
    case 'text':
      return token.value;
    case 'flag': {
      const lower = token.value.toLowerCase();
      return lower === 'true' || lower === 'false'
        ? lower === 'true'
        : fail(text('{0} must be true or false.', field));
    }
    case 'number': {
      const parsed = Number(token.value);
      return token.value.trim() !== '' && Number.isFinite(parsed)
        ? parsed
        : fail(text('{0} must be a number.', field));
    }
    case 'time': {
      const seconds = Number(token.value);
      if (token.value.trim() !== '' && Number.isFinite(seconds)) {
        return seconds;
      }
      const time = /^\d{4}-\d{2}-\d{2}/.test(token.value) ? Date.parse(token.value) : NaN;
      return Number.isNaN(time) ? fail(text('{0} must be a date such as 2026-01-31.', field)) : time / 1000;
    }
  }
}

class Reader {
  private at = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly end: number,
  ) {}

  get isDone(): boolean {
    return this.at >= this.tokens.length;
  }

  peek(): Token | undefined {
    return this.tokens[this.at];
  }

  next(expected: Text): Token {
    const token = this.tokens[this.at++];
    if (!token) {
      throw new QueryError({ span: { offset: this.end, length: 0 }, message: expected });
    }
    return token;
  }

  skipWord(word: string): boolean {
    const token = this.peek();
    if (token?.kind === 'word' && token.value.toLowerCase() === word) {
      this.at++;
      return true;
    }
    return false;
  }
}

function readList(reader: Reader, field: string, type: QueryType): Scalar[] {
  const open = reader.next(text('Expected a list in brackets: [a, b].'));
  if (open.kind !== 'open') {
    throw new QueryError({ span: open, message: text('Expected a list in brackets: [a, b].') });
  }
  const values: Scalar[] = [];
  for (;;) {
    const token = reader.next(text('The list is not closed. Add "]".'));
    if (token.kind === 'close') {
      return values;
    }
    if (token.kind === 'word' || token.kind === 'quoted') {
      values.push(readValue(token, field, type));
    } else if (token.kind !== 'comma') {
      throw new QueryError({ span: token, message: text('Expected a value.') });
    }
  }
}

function readCondition(reader: Reader): [string, QueryOperator, Scalar | Scalar[]] {
  const name = reader.next(text('Expected the name of a field.'));
  const field = name.value.toLowerCase();
  const type = name.kind === 'word' && Object.hasOwn(queryFields, field) ? queryFields[field] : undefined;
  if (!type) {
    throw new QueryError({ span: name, message: text('"{0}" is not a search field.', name.value) });
  }
  const token = reader.next(text('Expected an operator: =, !=, <, <=, >, >=, in or notin.'));
  let operator = token.value.toLowerCase();
  if (operator === 'not' && reader.skipWord('in')) {
    operator = 'notin';
  }
  if (!operatorsOf[type].includes(operator) || token.kind === 'quoted') {
    throw new QueryError({
      span: token,
      message: text('{0} allows only {1}.', field, operatorsOf[type].join(', ')),
    });
  }
  if (operator === 'in' || operator === 'notin') {
    return [field, operator, readList(reader, field, type)];
  }
  const value = reader.next(text('Expected a value.'));
  if (value.kind !== 'word' && value.kind !== 'quoted') {
    throw new QueryError({ span: value, message: text('Expected a value.') });
  }
  const symbol = Object.entries(operatorNames).find(([name]) => name === operator);
  return [field, symbol ? symbol[1] : 'eq', readValue(value, field, type)];
}

/** Parses a query. Conditions are joined by `and`, a comma or nothing. An empty query has no filters. */
export function parseTemplateQuery(source: string): ParsedQuery {
  const tokens = tokenize(source);
  if (typeof tokens === 'number') {
    const span = { offset: tokens, length: source.length - tokens };
    return {
      kind: 'problem',
      problem: { span, message: text('A quote is not closed, or a character is not allowed here.') },
    };
  }
  const reader = new Reader(tokens, source.length);
  const filters: Record<string, Record<string, Scalar | readonly Scalar[]>> = {};
  try {
    while (!reader.isDone) {
      const [field, operator, value] = readCondition(reader);
      filters[field] = { ...filters[field], [operator]: value };
      if (!reader.skipWord('and') && reader.peek()?.kind === 'comma') {
        reader.next(text('Expected a condition.'));
      }
    }
    return { kind: 'filters', filters };
  } catch (error) {
    if (error instanceof QueryError) {
      return { kind: 'problem', problem: error.problem };
    }
    throw error;
  }
}

export interface QueryCompletion {
  /** The whole query after the completion is applied. */
  readonly query: string;
  /** The added text, for the list. */
  readonly label: string;
  readonly detail: Text;
}

const typeTexts: Readonly<Record<QueryType, Text>> = {
  text: text('Text'),
  number: text('Number'),
  flag: text('true or false'),
  time: text('Date'),
};

/** Returns what can follow at the end of the query. */
export function completeTemplateQuery(source: string): readonly QueryCompletion[] {
  const tokens = tokenize(source);
  if (typeof tokens === 'number') {
    return [];
  }
  const lastAnd = tokens.findLastIndex(
    (token) => token.kind === 'word' && token.value.toLowerCase() === 'and',
  );
  const condition = tokens.slice(lastAnd + 1);
  const typing = /\S$/.test(source) ? condition.at(-1) : undefined;
  const settled = typing ? condition.slice(0, -1) : condition;
  const [field, operator] = settled;
  const type = field && queryFields[field.value.toLowerCase()];
  const head = typing ? source.slice(0, typing.offset) : source;
  const typed = typing?.value.toLowerCase() ?? '';
  const offer = (labels: readonly string[], detail: (label: string) => Text, after = ' ') =>
    labels
      .filter((label) => label.startsWith(typed) && label !== typed)
      .map((label) => ({ query: `${head}${label}${after}`, label, detail: detail(label) }));
  if (!field) {
    return offer(Object.keys(queryFields), (label) => typeTexts[queryFields[label] ?? 'text']);
  }
  if (!type) {
    return [];
  }
  if (!operator) {
    return offer(operatorsOf[type], () => text('Operator')).map((completion) =>
      completion.label.endsWith('in') ? { ...completion, query: `${completion.query}[` } : completion,
    );
  }
  if (settled.length === 2 && type === 'flag') {
    return offer(['true', 'false'], () => text('Value'));
  }
  const complete = parseTemplateQuery(source).kind === 'filters' && !typing;
  return complete ? offer(['and'], () => text('Another condition')) : [];
}
