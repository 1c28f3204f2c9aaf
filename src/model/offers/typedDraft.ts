import type { RentalType } from './offer';
import type { ChoiceKey, FieldKey, Filters, FlagKey, NumberKey, NumberRange } from './searchFields';
import { numberNames, own, unitScales } from './typedNames';
import { priceUnit } from './typedPhrases';

/** What was read of a typed line so far. */
export interface Draft {
  readonly numbers: Map<NumberKey, NumberRange>;
  readonly choices: Map<ChoiceKey, { oneOf: string[]; noneOf: string[] }>;
  readonly flags: Map<FlagKey, boolean>;
  /** Fields that may have any value, after any choice: `verified=any`. */
  readonly unlimited: Set<FieldKey>;
  /** Names of US states. */
  readonly states: string[];
  rentalType?: RentalType;
}

export function newDraft(): Draft {
  return { numbers: new Map(), choices: new Map(), flags: new Map(), unlimited: new Set(), states: [] };
}

export function addChoice(
  draft: Draft,
  key: ChoiceKey,
  values: readonly string[],
  negated: boolean,
): ChoiceKey {
  const choice = draft.choices.get(key) ?? { oneOf: [], noneOf: [] };
  (negated ? choice.noneOf : choice.oneOf).push(...values);
  draft.choices.set(key, choice);
  return key;
}

export function finish(draft: Draft): Filters {
  const choices = [...draft.choices].map(([key, choice]) => [
    key,
    {
      ...(choice.oneOf.length === 0 ? {} : { oneOf: [...new Set(choice.oneOf)] }),
      ...(choice.noneOf.length === 0 ? {} : { noneOf: [...new Set(choice.noneOf)] }),
    },
  ]);
  return Object.fromEntries([...draft.numbers, ...choices, ...draft.flags]) as Filters;
}

export const comparison =
  /^(?<name>[a-z_]*?)(?<op><=|>=|=<|=>|<|>|≤|≥|=|:)?\$?(?<number>\d+(?:[.,]\d+)?|[.,]\d+)(?<unit>[a-z%/$]*)(?<plus>\+)?$/;

/** Returns the amount of `24gb` or `1tb` in GB. */
export function amountOf(token: string): number {
  const { number = '', unit = '' } = comparison.exec(token)?.groups ?? {};
  return Number(number.replace(',', '.')) * (own(unitScales, unit) ?? 1);
}

/** Returns whether a number with this unit fits the field: `24gb cuda` is not a CUDA version. */
export function suits(unit: string, key: NumberKey): boolean {
  if (memoryUnits.includes(unit)) {
    return ['ramGb', 'diskGb', 'gpuRamGb', 'gpuTotalRamGb'].includes(key);
  }
  if (speedUnits.includes(unit)) {
    return ['downMbit', 'upMbit'].includes(key);
  }
  if (timeUnits.includes(unit)) {
    return key === 'days';
  }
  if (unit === '%') {
    return key === 'reliability';
  }
  // `16cores` has its field already.
  return [undefined, key].includes(own(numberNames, unit));
}

/** Reads a number with its name or unit, and returns its field. */
export function readComparison(token: string, draft: Draft): NumberKey | undefined {
  const groups = comparison.exec(token)?.groups;
  if (!groups) {
    return undefined;
  }
  const number = Number((groups['number'] ?? '').replace(',', '.'));
  const { unit, priced, hours } = priceUnit(groups['unit'] ?? '', token.includes('$'));
  const key = fieldOf(groups['name'] ?? '', unit, priced, groups['op'], number);
  if (key === undefined || (priced && unit !== '' && key === 'pricePerHour')) {
    return undefined;
  }
  const inUnits = inUnitsOf(key, number, unit);
  const value = hours > 1 ? Math.floor((inUnits / hours) * 1e4) / 1e4 : inUnits;
  const range = typedLimits(groups['op'], groups['plus'] !== undefined, value, key);
  draft.numbers.set(key, { ...draft.numbers.get(key), ...range });
  return key;
}

/** Returns a number after the name of its field, in the unit of that; undefined for anything else. */
export function numberFor(key: NumberKey, typed: string): number | undefined {
  if (key === 'driver') {
    const series = Number(/^(\d+)(?:\.\d+){0,3}$/.exec(typed)?.[1] ?? NaN);
    // The service compares 535.86.05 as 535086005.
    return Number.isNaN(series) ? undefined : series >= 1e6 ? Math.floor(series / 1e6) : series;
  }
  const isGrouped = /^\$?[1-9]\d{0,2}(?:,\d{3})+(?!\d)/.test(typed);
  const groups = comparison.exec(isGrouped ? typed.replaceAll(',', '') : typed.replaceAll(' ', ''))?.groups;
  if (groups === undefined || groups['name'] !== '' || (groups['op'] ?? groups['plus']) !== undefined) {
    return undefined;
  }
  const { unit, priced, hours } = priceUnit(groups['unit'] ?? '', typed.includes('$'));
  const isUnit = unit === '' || Object.hasOwn(unitScales, unit) || knownUnits.includes(unit);
  if (!isUnit || !suits(unit, key) || (priced && (unit !== '' || key !== 'pricePerHour'))) {
    return undefined;
  }
  const value = inUnitsOf(key, Number((groups['number'] ?? '').replace(',', '.')), unit);
  return hours > 1 ? Math.floor((value / hours) * 1e4) / 1e4 : value;
}

/** Converts a number to the unit of its field; a share of 1 and a hundredfold version are those of the service. */
function inUnitsOf(key: NumberKey, number: number, unit: string): number {
  if (key === 'reliability' && number <= 1) {
    return tidy(number * 100);
  }
  return tidy(
    key === 'computeCapability' && number >= 100 ? number / 100 : number * (own(unitScales, unit) ?? 1),
  );
}

function tidy(value: number): number {
  return Number(value.toPrecision(12));
}

/** Operators that set an upper limit. */
const upperLimits: readonly string[] = ['<', '<=', '=<', '≤'];

/** Fields for which a number without an operator means "exactly". */
const exactFields: readonly NumberKey[] = ['gpuCount'];

/** These are counted or sold in whole numbers, so `>40gb` excludes the cards with 40 GB. */
const wholeFields: readonly NumberKey[] = [
  'gpuCount',
  'gpuRamGb',
  'gpuTotalRamGb',
  'ports',
  'cpuCores',
  'ramGb',
];

export function typedLimits(
  op: string | undefined,
  plus: boolean,
  value: number,
  key: NumberKey,
): NumberRange {
  if (op !== undefined && upperLimits.includes(op)) {
    return { max: op === '<' && wholeFields.includes(key) ? Math.ceil(value) - 1 : value };
  }
  if (key === 'pricePerHour' && (op === undefined || op === ':')) {
    return plus ? { min: value } : { max: value };
  }
  if (op === '>' && wholeFields.includes(key)) {
    return { min: Math.floor(value) + 1 };
  }
  if (!plus && exactFields.includes(key) && (op === undefined || op === ':')) {
    return { min: value, max: value };
  }
  return op === '=' ? { min: value, max: value } : { min: value };
}

export const memoryUnits = ['gb', 'g', 'gib', 'tb'];
const speedUnits = ['mbit', 'mbps', 'gbit', 'gbps'];
const timeUnits = ['d', 'day', 'days', 'w', 'week', 'weeks', 'month', 'months'];

const knownUnits = [...memoryUnits, ...speedUnits, ...timeUnits, '%', 'ghz'];

/** Returns the field of a number, found by its name, its unit or its size. */
function fieldOf(
  name: string,
  unit: string,
  priced: boolean,
  op: string | undefined,
  value: number,
): NumberKey | undefined {
  if (name !== '') {
    const known = own(numberNames, name);
    return known !== undefined && (op !== undefined || name.length > 1 || unit !== '') ? known : undefined;
  }
  if (priced) {
    return 'pricePerHour';
  }
  if (memoryUnits.includes(unit)) {
    return 'gpuRamGb';
  }
  if (unit === '%') {
    return 'reliability';
  }
  if (speedUnits.includes(unit)) {
    return 'downMbit';
  }
  if (timeUnits.includes(unit)) {
    return 'days';
  }
  if (unit !== '') {
    return own(numberNames, unit);
  }
  // `<0.8` without a name is a price: users name every other field with an upper limit.
  if (op !== undefined && upperLimits.includes(op)) {
    return 'pricePerHour';
  }
  if (op === undefined) {
    return undefined;
  }
  return value <= 1 ? 'pricePerHour' : 'gpuRamGb';
}
