import { isObject, toFlag, toNumber, type BodyReader } from '../body';
import { ServiceError } from '../route';
import { driverNumber, type Row } from './offerRow';

type Comparable = string | number | boolean;
type Kind = 'number' | 'text' | 'flag' | 'gpuName' | 'country' | 'version';

interface Field {
  readonly kind: Kind;
  /** Where the record keeps it, if under another name. */
  readonly read?: (row: Row) => unknown;
}

const numbers =
  'num_gpus gpu_ram gpu_total_ram gpu_frac gpu_mem_bw bw_nvlink pcie_bw gpu_max_power gpu_max_temp gpu_lanes compute_cap ' +
  'cuda_max_good cpu_cores cpu_cores_effective cpu_ghz cpu_ram has_avx disk_space disk_bw inet_up inet_down ' +
  'inet_up_cost inet_down_cost internet_up_cost_per_tb internet_down_cost_per_tb storage_cost storage_total_cost ' +
  'dph_base dph_total min_bid duration start_date end_date dlperf dlperf_per_dphtotal total_flops flops_per_dphtotal score ' +
  'reliability reliability2 direct_port_count pci_gen id ask_contract_id bundle_id machine_id host_id cluster_id ' +
  'hosting_type vram_costperhour credit_discount_max discount_rate';
const flags = 'verified rentable rented external static_ip vms_enabled gpu_display_active is_bid';
const texts =
  'gpu_arch cpu_arch cpu_name verification mobo_name os_version disk_name public_ipaddr resource_type';

const ofKind = (names: string, kind: Kind) =>
  names.split(' ').map((name): [string, Field] => [name, { kind }]);

/** Every field that can be filtered and sorted by (docs/service/offers.md#fields-and-units). */
const fields: ReadonlyMap<string, Field> = new Map<string, Field>([
  ...ofKind(numbers, 'number'),
  ...ofKind(flags, 'flag'),
  ...ofKind(texts, 'text'),
  ['gpu_name', { kind: 'gpuName' }],
  ['geolocation', { kind: 'country' }],
  ['driver_version', { kind: 'version' }],
  ['driver_vers', { kind: 'version' }],
  ['ubuntu_version', { kind: 'text', read: (row) => row['os_version'] }],
  ['datacenter', { kind: 'flag', read: (row) => row['hosting_type'] === 1 }],
  ['dph', { kind: 'number', read: (row) => row['dph_total'] }],
]);

/** The largest number of rows in an answer (docs/service/offers.md#search). */
const mostRows = 64;
/** Next to the filters; the last ones are of older clients and change nothing. */
const notFilters = ['type', 'order', 'limit', 'allocated_storage', 'disable_bundling', 'client_id', 'owner'];

type Order = readonly (readonly [field: string, direction: string])[];

/**
 * Returns the search of a body: the matching rows, in its order, up to its limit.
 * @throws ServiceError 400.
 */
export function searchOf(body: BodyReader, usualOrder: Order): (rows: readonly Row[]) => Row[] {
  const limit = Math.min(mostRows, Math.max(0, body.integer('limit') ?? mostRows));
  const matches = predicate(
    Object.fromEntries(Object.entries(body.fields).filter(([name]) => !notFilters.includes(name))),
  );
  return (rows) =>
    rows
      .filter(matches)
      .sort(comparator(orderOf(body.fields['order'] ?? usualOrder)))
      .slice(0, limit);
}

/**
 * `{field: {operator: value}}`; a bare value means `eq`, null means nothing wanted.
 * @throws ServiceError 400 `invalid_args` for an unknown field, operator or value.
 */
function predicate(filters: Readonly<Record<string, unknown>>): (row: Row) => boolean {
  const tests = Object.entries(filters)
    .filter(([, wanted]) => wanted !== null)
    .flatMap(([name, wanted]) => fieldTests(name, wanted));
  return (row) => tests.every((test) => test(row));
}

/** A value that is no list sets no order. */
function orderOf(value: unknown): Order {
  const pairs: readonly unknown[] = Array.isArray(value) ? value : [];
  return pairs.map((pair) => {
    const [field, direction] = Array.isArray(pair) ? (pair as readonly unknown[]) : [];
    if (typeof field !== 'string' || (direction !== 'asc' && direction !== 'desc')) {
      throw badOrder();
    }
    return [field, direction];
  });
}

export function badOrder(): ServiceError {
  return new ServiceError(400, 'invalid_args', 'order must be a list of [field, direction] pairs.');
}

/** Sorts by `[field, direction]` pairs; records without the field are last. */
function comparator(order: Order): (a: Row, b: Row) => number {
  const keys = order.map(([name, direction]) => {
    const field = fieldOf(name);
    return { read: (row: Row) => valueOf(field, name, row), sign: direction === 'desc' ? -1 : 1 };
  });
  return (a, b) => {
    for (const { read, sign } of keys) {
      const difference = compareForOrder(read(a), read(b), sign);
      if (difference !== 0) {
        return difference;
      }
    }
    return Number(a['id']) - Number(b['id']);
  };
}

function fieldOf(name: string): Field {
  const field = fields.get(name);
  if (!field) {
    throw new ServiceError(400, 'invalid_args', `Unknown search field ${name}.`);
  }
  return field;
}

function fieldTests(name: string, wanted: unknown): ((row: Row) => boolean)[] {
  const field = fieldOf(name);
  const operators = isObject(wanted) ? wanted : { eq: wanted };
  return Object.entries(operators)
    .filter(([, value]) => value !== null)
    .map(([operator, value]) => {
      const test = operatorTest(field.kind, name, operator, value);
      return (row: Row) => test(valueOf(field, name, row));
    });
}

function operatorTest(
  kind: Kind,
  name: string,
  operator: string,
  wanted: unknown,
): (value: Comparable | undefined) => boolean {
  if (operator === 'in' || operator === 'notin') {
    const list = (Array.isArray(wanted) ? wanted : [wanted]).map((item) => parseWanted(kind, name, item));
    return operator === 'in'
      ? (value) => value !== undefined && list.includes(value)
      : (value) => value === undefined || !list.includes(value);
  }
  const right = parseWanted(kind, name, wanted);
  const compare = comparisons[operator];
  if (!compare) {
    throw new ServiceError(400, 'invalid_args', `Unknown operator ${operator} for ${name}.`);
  }
  // A record that lacks the field is not equal to anything and neither above nor below it.
  return (value) => (value === undefined ? operator === 'neq' : compare(value, right));
}

const comparisons: Readonly<Record<string, (left: Comparable, right: Comparable) => boolean>> = {
  eq: (left, right) => left === right,
  neq: (left, right) => left !== right,
  gt: (left, right) => left > right,
  gte: (left, right) => left >= right,
  lt: (left, right) => left < right,
  lte: (left, right) => left <= right,
};

/** The record's value in the form in which it is compared. */
function valueOf(field: Field, name: string, row: Row): Comparable | undefined {
  const value = field.read ? field.read(row) : row[name];
  return value === undefined || value === null ? undefined : normalise(field.kind, value);
}

function parseWanted(kind: Kind, name: string, wanted: unknown): Comparable {
  const value = normalise(kind, wanted);
  if (value === undefined) {
    throw new ServiceError(400, 'invalid_args', `Invalid value for ${name}.`);
  }
  return value;
}

function normalise(kind: Kind, value: unknown): Comparable | undefined {
  switch (kind) {
    case 'number':
      // Flags are sent for 0/1 fields such as has_avx.
      return typeof value === 'boolean' ? Number(value) : (toNumber(value) ?? flagNumber(value));
    case 'flag':
      return toFlag(value);
    case 'version':
      return typeof value === 'string' ? (driverNumber(value) ?? toNumber(value)) : toNumber(value);
    case 'gpuName':
      // Records have the form with a space, and the documentation also shows RTX_4090
      // (docs/service/offers.md#fields-and-units).
      return typeof value === 'string' ? value.replaceAll('_', ' ').trim() : undefined;
    case 'country':
      // Filters use the two-letter code, records say "Sweden, SE" (docs/service/offers.md#location).
      return typeof value === 'string' ? (value.split(',').at(-1) ?? '').trim().toUpperCase() : undefined;
    case 'text':
      return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
  }
}

function flagNumber(value: unknown): number | undefined {
  const flag = toFlag(value);
  return flag === undefined ? undefined : Number(flag);
}

function compareForOrder(a: Comparable | undefined, b: Comparable | undefined, sign: number): number {
  if (a === undefined || b === undefined) {
    return a === b ? 0 : a === undefined ? 1 : -1;
  }
  return a === b ? 0 : a < b ? -sign : sign;
}
