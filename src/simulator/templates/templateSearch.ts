import { isObject, toFlag, toNumber } from '../body';
import { ServiceError } from '../route';
import type { TemplateRecord } from './templateState';

type Scalar = string | number | boolean;

/** The fields of `select_filters` (docs/service/templates.md#search). */
const readField: Readonly<Record<string, (record: TemplateRecord) => Scalar>> = {
  creator_id: (record) => record.creator_id,
  created_at: (record) => record.created_at,
  count_created: (record) => record.count_created,
  default_tag: (record) => record.fields.tag,
  docker_login_repo: (record) => record.fields.docker_login_repo,
  id: (record) => record.id,
  image: (record) => record.fields.image,
  jup_direct: (record) => record.fields.jup_direct,
  hash_id: (record) => record.hash_id,
  name: (record) => record.fields.name,
  recent_create_date: (record) => record.recent_create_date,
  recommended_disk_space: (record) => record.fields.recommended_disk_space,
  recommended: (record) => record.recommended,
  ssh_direct: (record) => record.fields.ssh_direct,
  tag: (record) => record.fields.tag,
  use_ssh: (record) => record.fields.use_ssh,
};

const operators = ['eq', 'neq', 'lt', 'lte', 'gt', 'gte', 'in', 'notin'] as const;
type Operator = (typeof operators)[number];

/** Reads `select_filters`. Values may be text for any type of field (docs/service/templates.md#search). */
export function templateFilter(text: string | null): (record: TemplateRecord) => boolean {
  const filters = parsedObject(text, 'select_filters');
  const tests = Object.entries(filters).flatMap(([field, conditions]) => {
    const read = readField[field];
    if (!read || !Object.hasOwn(readField, field)) {
      throw invalid(`${field} cannot be searched by.`);
    }
    if (!isObject(conditions)) {
      throw invalid(`${field} needs an operator, for example {"eq": 1}.`);
    }
    return Object.entries(conditions).map(([name, wanted]) => {
      const operator = operators.find((known) => known === name);
      if (!operator) {
        throw invalid(`${name} is no operator. Use ${operators.join(', ')}.`);
      }
      return (record: TemplateRecord) => compare(operator, read(record), wanted);
    });
  });
  return (record) => tests.every((test) => test(record));
}

/** `["*"]`, or the names of the columns wanted; id and hash_id are always included. */
export function templateColumns(
  text: string | null,
): (row: Record<string, unknown>) => Record<string, unknown> {
  if (text === null || text === '') {
    return (row) => row;
  }
  const columns = parsedJson(text, 'select_cols');
  if (!Array.isArray(columns) || !columns.every((name) => typeof name === 'string')) {
    throw invalid('select_cols must be a list of field names.');
  }
  if (columns.includes('*')) {
    return (row) => row;
  }
  return (row) =>
    Object.fromEntries(
      Object.entries(row).filter(([name]) => name === 'id' || name === 'hash_id' || columns.includes(name)),
    );
}

function compare(operator: Operator, actual: Scalar, wanted: unknown): boolean {
  if (operator === 'in' || operator === 'notin') {
    const list = Array.isArray(wanted) ? wanted : [wanted];
    const found = list.some((each) => order(actual, each) === 0);
    return operator === 'in' ? found : !found;
  }
  const difference = order(actual, wanted);
  if (difference === undefined) {
    throw invalid('A value has another type than its field.');
  }
  return {
    eq: difference === 0,
    neq: difference !== 0,
    lt: difference < 0,
    lte: difference <= 0,
    gt: difference > 0,
    gte: difference >= 0,
  }[operator];
}

/** Below, at or above zero; `undefined` if the two can't be compared. */
function order(actual: Scalar, wanted: unknown): number | undefined {
  if (typeof actual === 'string') {
    return isScalar(wanted) ? compareTexts(actual, String(wanted)) : undefined;
  }
  const number = typeof actual === 'boolean' ? flagNumber(wanted) : toNumber(wanted);
  return number === undefined ? undefined : Number(actual) - number;
}

function flagNumber(wanted: unknown): number | undefined {
  const flag = toFlag(wanted);
  return flag === undefined ? undefined : Number(flag);
}

function compareTexts(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function parsedObject(text: string | null, name: string): Readonly<Record<string, unknown>> {
  const value = text === null || text === '' ? {} : parsedJson(text, name);
  if (!isObject(value)) {
    throw invalid(`${name} must be a JSON object.`);
  }
  return value;
}

function parsedJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid(`${name} is not valid JSON.`);
  }
}

function invalid(message: string): ServiceError {
  return new ServiceError(400, 'invalid_args', message);
}
