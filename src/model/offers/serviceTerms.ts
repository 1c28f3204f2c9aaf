import { findGpuModels } from './gpuModels';
import { findPlaces } from './places';
import { fieldKeys, numberKeys, searchField, type FieldKey, type NumberKey } from './searchFields';
import { flagNames, numberNames, own } from './typedNames';
import { fillers, rowWords } from './typedPhrases';

/** A comparison in the syntax of the service's command-line client, such as `gpu_name in [RTX_4090,RTX_3090]`. */
export interface ServiceTerm {
  /** The typed text. */
  readonly source: string;
  /** In lower case. */
  readonly name: string;
  readonly operator: ServiceOperator;
  /** As typed, without quotes; empty if no value follows yet. */
  readonly values: readonly string[];
}

export type ServiceOperator = 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'notin';

/**
 * Fields that the list does not filter by: the others of the command-line client (vast-cli `api/query.py`) and of its
 * records, which people compare as well.
 */
const otherFields = (
  'id ask_contract_id bundle_id cpu_name credit_discount_max disk_name dph_base driver_vers end_date gpu_ids gpu_lanes ' +
  'gpu_ram_free_min host_run_time hosting_type hostname is_bid logo num_ports public_ipaddr score start_date ' +
  'storage_total_cost time_remaining ubuntu_version vericode verification'
).split(' ');

/** The fields by the service's names and by the aliases of its client. */
const fields: Readonly<Record<string, FieldKey>> = {
  ...Object.fromEntries(fieldKeys.map((key) => [searchField(key).wire, key])),
  cpu_cores: 'cpuCores',
  cuda_vers: 'cuda',
  display_active: 'display',
  dlperf_usd: 'value',
  dph: 'pricePerHour',
  flops_usd: 'teraflopsPerDollar',
  reliability2: 'reliability',
  // Names that people use beside it.
  gpu: 'gpu',
  model: 'gpu',
  country: 'country',
  location: 'country',
  region: 'country',
};

/** Every name of the command line, with its filter; undefined if the list has no such filter. */
export const commandLineFields: Readonly<Record<string, FieldKey | undefined>> = {
  ...Object.fromEntries(otherFields.map((name) => [name, undefined])),
  ...fields,
};

/** Rare filters of which a number in the search box is not read: they are chosen under Filters. */
export const chosenFields: ReadonlySet<FieldKey> = new Set<FieldKey>([
  'minBid',
  'diskSpeed',
  'downPerGb',
  'upPerGb',
  'storagePerGbMonth',
  'teraflopsPerDollar',
  'gpuShare',
  'nvlink',
  'pcie',
  'pcieGeneration',
  'gpuWatts',
  'gpuCelsius',
]);

/** The operators by their signs and words. */
export const operators: Readonly<Record<string, ServiceOperator>> = {
  '=': 'eq',
  '==': 'eq',
  ':': 'eq',
  eq: 'eq',
  '!=': 'neq',
  '<>': 'neq',
  '≠': 'neq',
  neq: 'neq',
  ne: 'neq',
  noteq: 'neq',
  '>': 'gt',
  '>=': 'gte',
  '=>': 'gte',
  '≥': 'gte',
  gt: 'gt',
  gte: 'gte',
  '<': 'lt',
  '<=': 'lte',
  '=<': 'lte',
  '≤': 'lte',
  lt: 'lt',
  lte: 'lte',
  in: 'in',
  notin: 'notin',
  nin: 'notin',
};
const opposites: Readonly<Record<ServiceOperator, ServiceOperator | undefined>> = {
  eq: 'neq',
  neq: 'eq',
  in: 'notin',
  notin: 'in',
  gt: undefined,
  gte: undefined,
  lt: undefined,
  lte: undefined,
};

/** Returns the query of a line as a shell reads it: `vastai search offers 'num_gpus=1' -o 'dph' --type bid`. */
export function inOneCommand(line: string): string {
  const query = line.replace(/\s+/g, ' ').trim();
  const command = /^(?:\S*vast(?:ai|\.py)? )search [a-z]+ ?/i.exec(query)?.[0];
  const whole = /^(["'])(.*)\1$/.exec(query)?.[2];
  if (command === undefined) {
    return whole !== undefined && /[<>=]/.test(whole) ? whole : query;
  }
  return query
    .slice(command.length)
    .replace(/(?<=^| )-{1,2}(?:bid|b|interruptible|i)(?= |$)/g, 'type=bid')
    .replace(/(?<=^| )-{1,2}(?:on-demand|d)(?= |$)/g, 'type=ondemand')
    .replace(/(?<=^| )-{1,2}(?:n|no-default|raw)(?= |$)/g, '')
    .replace(/(?<=^| )(?:--([a-z]+)|-([ot]))[ =](?=\S)/g, (_, long?: string, short?: string) =>
      short === 'o' ? 'order=' : short === 't' ? 'type=' : `${long ?? ''}=`,
    )
    .replace(/(?<=^| )(["'])([^"']*[<>=][^"']*)\1(?= |$)/g, '$2');
}

/** A name and an operator; there is one space at most between them, since runs of spaces were joined before. */
const beginning =
  /(?<=^|[\s,;|('"&])(?<not>not |no |[-!])?(?<name>[a-z_][a-z\d_]*)(?:(?<before> ?)(?<sign>[<>=!≤≥≠:]{1,3})(?<after> ?)| (?<word>not ?in|nin|in|not ?eq|neq?|eq|[gl]te?)(?: |(?=\[)|$))/giu;

/** `geolocation n`, of which `notin` is still to be typed. */
const unfinishedOperator = /(?<=^|\s)([a-z_][a-z\d_]*) (?:n|no|not|noti|not [ei]|ni|ne|i|e|g|l)$/i;

type Found = Readonly<Partial<Record<string, string>>>;

/**
 * Splits a line into comparisons of the command line and the text between them. `24gb ram <0.8` and `in europe` are no
 * comparisons: only names with an underscore, those of the table, and what is typed without a space before `=` are.
 */
export function splitServiceTerms(
  whole: string,
  models: readonly string[],
): readonly (string | ServiceTerm)[] {
  const parts: (string | ServiceTerm)[] = [];
  let done = 0;
  const [unfinished = '', name = ''] = unfinishedOperator.exec(whole) ?? [];
  const line = own(fields, name.toLowerCase()) === undefined ? whole : whole.slice(0, -unfinished.length);
  for (const match of line.matchAll(beginning)) {
    const from = match.index;
    const valueAt = from + match[0].length;
    const found: Found = match.groups ?? {};
    if (from < done || !isTerm(found, line.slice(valueAt, valueAt + 1), models)) {
      continue;
    }
    const { values, end } = readValues(line, valueAt, found, models);
    const operator = operatorOf(found);
    parts.push(line.slice(done, from), {
      source: line.slice(from, end).trim(),
      name: (found['name'] ?? '').toLowerCase(),
      operator: operator ?? 'eq',
      // An operator that does not exist compares nothing.
      values: operator === undefined ? ['', ''] : values,
    });
    done = end;
  }
  return [...parts, line.slice(done)].filter((part) => typeof part !== 'string' || part.trim() !== '');
}

function operatorOf({ sign, word = '', not }: Found): ServiceOperator | undefined {
  const operator = own(operators, sign ?? word.replace(' ', '').toLowerCase());
  return operator === undefined || not === undefined ? operator : opposites[operator];
}

function isTerm(
  { name = '', before, sign, after, word = '' }: Found,
  next: string,
  models: readonly string[],
): boolean {
  const lower = name.toLowerCase();
  const isKnown = Object.hasOwn(commandLineFields, lower);
  const isPlain = own(numberNames, lower) !== undefined || own(flagNames, lower) !== undefined;
  const isNamed = lower.includes('_') ? findGpuModels(lower, models).length === 0 : isKnown;
  if (sign === undefined) {
    // `verified in europe` is a flag and a place, and `geforce gt 1030` is a card.
    const isList = /^(?:not ?)?in$|^nin$/i.test(word);
    return (
      next === '[' ||
      (isList
        ? isNamed && /geolocation|_name$/.test(lower)
        : isNamed || !(fillers.has(lower) || rowWords.has(lower)))
    );
  }
  if (sign.includes(':')) {
    return sign === ':' && isNamed && !isPlain;
  }
  // `reliability3>=0.9` is neither three nor 0.9 of anything.
  const isNumbered = own(numberNames, lower.replace(/(?<!\d)\d+$/, '')) !== undefined && !isPlain;
  if (/^(?:={1,2}|!=|<>|≠)$/u.test(sign)) {
    return isNamed || isNumbered || before === '' || /^["'[]/.test(next);
  }
  if (/^["'[]/.test(next) || (isNumbered && before === '')) {
    return true;
  }
  // In `99% reliability <0.8` the number is a price.
  return isNamed && !(isPlain && before !== '' && after === '');
}

const end = String.raw`(?=[\s,;|'"]|$)`;
/** In `num_gpus=1 days>=7` the days are the next name. */
const units = String.raw`(?: ?(?:gib|gb|tb|mb|g|mbit|mbps|gbit|gbps|%|weeks?|w|months?|h)${end}| ?(?:days?|d)${end}(?! ?[<>=≤≥]))?`;
const numberWithUnit = new RegExp(String.raw`\$?[\d.,]*\d${units}${end}`, 'iuy');
const list = /\[(?<list>[^\]]*)\]?/y;
const quoted = /"(?<quoted>[^"]*)"?|'(?<single>[^']*)'?/y;
/** A word; a comma before another comparison ends it. */
const word = /(?:[^\s,;|"']|,(?![a-z_][a-z\d_]* ?[<>=!≤≥≠]))+/iuy;

interface Values {
  readonly values: readonly string[];
  readonly end: number;
}

function readValues(line: string, at: number, { name = '' }: Found, models: readonly string[]): Values {
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    return pattern.exec(line);
  };
  const inList = match(list);
  if (inList) {
    const values = splitList(inList.groups?.['list'] ?? '');
    // A closed list without values is not one whose values are still to come.
    return { values: inList[0] === '[]' ? [''] : values, end: at + inList[0].length };
  }
  const inQuotes = match(quoted);
  if (inQuotes) {
    const value = inQuotes.groups?.['quoted'] ?? inQuotes.groups?.['single'] ?? '';
    return { values: [value], end: at + inQuotes[0].length };
  }
  const several = severalWords(own(fields, name.toLowerCase()), line.slice(at, at + 60), models);
  if (several !== undefined) {
    return { values: [several], end: at + several.length };
  }
  const isNumber = numberOf(name.toLowerCase()) !== undefined;
  const found = (isNumber ? match(numberWithUnit) : null) ?? match(word);
  const value = found?.[0] ?? '';
  return { values: value === '' ? [] : isNumber ? [value] : splitList(value), end: at + value.length };
}

/** Returns the words of `gpu_name=RTX 4090` and `geolocation=United States`, which the client wants in quotes. */
function severalWords(
  key: FieldKey | undefined,
  rest: string,
  models: readonly string[],
): string | undefined {
  const find = key === 'gpu' ? findGpuModels : key === 'country' ? findPlaces : undefined;
  const words = rest.split(' ', 4);
  return [4, 3, 2]
    .map((length) => words.slice(0, length).join(' '))
    .find((several) => several.includes(' ') && find !== undefined && find(several, [...models]).length > 0);
}

/** Returns the field of a name if that is compared with a number. */
function numberOf(name: string): NumberKey | undefined {
  const field = own(fields, name) ?? own(numberNames, name);
  return numberKeys.find((key) => key === field);
}

function splitList(values: string): readonly string[] {
  return values
    .split(',')
    .map((value) => value.trim().replace(/^["']|["']$/g, ''))
    .filter((value) => value !== '');
}
