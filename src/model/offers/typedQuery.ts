import { text, type Text } from '../../util/text';
import { filterValueText } from './filterText';
import { findGpuModels, knownGpuModels } from './gpuModels';
import type { RentalType } from './offer';
import { findPlaces, findUsState } from './places';
import { flagNames, numberNames, own, rentalNames, unitScales } from './typedNames';
import { fillers, priceUnit } from './typedPhrases';
import { tokenize } from './typedTokens';
import {
  fieldLabel,
  type ChoiceKey,
  type FieldKey,
  type Filters,
  type FlagKey,
  type NumberKey,
  type NumberRange,
} from './searchFields';

export interface Understood {
  /** The typed text. */
  readonly source: string;
  readonly meaning: Text;
}

/** The meaning of a line such as `4090 x2 <0.8 eu ≥24gb`. */
export interface TypedQuery {
  readonly filters: Filters;
  readonly rentalType?: RentalType;
  readonly understood: readonly Understood[];
  /** Words that are not filters; a row must contain all of them. */
  readonly words: readonly string[];
}

interface Draft {
  readonly numbers: Map<NumberKey, NumberRange>;
  readonly choices: Map<ChoiceKey, { oneOf: string[]; noneOf: string[] }>;
  readonly flags: Map<FlagKey, boolean>;
  /** Names of US states. */
  readonly states: string[];
  rentalType?: RentalType;
}

/** What a token means: the field it set or a text. Undefined if the rule does not apply. */
type Reading = FieldKey | Text | undefined;

const comparison =
  /^(?<name>[a-z_]*?)(?<op><=|>=|=<|=>|<|>|≤|≥|=|:)?\$?(?<number>\d+(?:[.,]\d+)?|[.,]\d+)(?<unit>[a-z%/$]*)(?<plus>\+)?$/;
const countBefore = /^[x×*](?<n>\d{1,3})(?<plus>\+)?$/;
const countAfter = /^(?<n>\d{1,3})[x×*](?<plus>\+)?$/;

/** Parses a typed line. Never fails: unrecognized words are searched for in the rows. */
export function parseTypedQuery(line: string, models: readonly string[] = knownGpuModels): TypedQuery {
  const tokens = tokenize(line, models);
  const draft: Draft = { numbers: new Map(), choices: new Map(), flags: new Map(), states: [] };
  const readings: { source: string; reading: FieldKey | Text }[] = [];
  const words: string[] = [];
  for (let at = 0; at < tokens.length;) {
    const read = readAt(tokens, at, draft, models);
    const length = read?.length ?? 1;
    const source = tokens.slice(at, at + length).join(' ');
    at += length;
    if (read !== undefined) {
      readings.push({ source, reading: read.reading });
    } else if (!fillers.has(source) && !(tokens.slice(at).every(isOperator) && isBeginning(source))) {
      words.push(source);
    }
  }
  const filters = finish(draft);
  const meaningOf = (reading: FieldKey | Text) =>
    typeof reading === 'string'
      ? text('{0}: {1}', fieldLabel(reading), filterValueText(reading, filters))
      : reading;
  return {
    filters,
    ...(draft.rentalType === undefined ? {} : { rentalType: draft.rentalType }),
    understood: readings.map(({ source, reading }) => ({ source, meaning: meaningOf(reading) })),
    words: [...draft.states, ...words],
  };
}

/** The last word may be incomplete: `cud` or `>=` must not empty the list while the user types. */
function isBeginning(word: string): boolean {
  const names = [numberNames, flagNames, rentalNames].flatMap((table) => Object.keys(table));
  const vocabulary = [...names, ...fillers];
  return isOperator(word) || vocabulary.some((name) => name.startsWith(word.replace(/[<>=≤≥:$]+$/, '')));
}

function isOperator(word: string): boolean {
  return /^[<>=≤≥$x×*!+-]+$/.test(word);
}

interface Read {
  readonly reading: FieldKey | Text;
  /** The number of tokens consumed. */
  readonly length: number;
}

function readAt(
  tokens: readonly string[],
  at: number,
  draft: Draft,
  models: readonly string[],
): Read | undefined {
  const token = tokens[at] ?? '';
  const negated = /^[-!]./.test(token) && token.length > 2;
  const bare = negated ? token.slice(1) : token;
  const gpu = gpuAt([bare, ...tokens.slice(at + 1)], models);
  if (gpu) {
    return { reading: addChoice(draft, 'gpu', gpu.found, negated), length: gpu.length };
  }
  const unwanted = token === 'no' ? readNo(tokens, at, draft, models) : undefined;
  if (unwanted) {
    return unwanted;
  }
  const next = tokens.slice(at + 1);
  // In `gpu 4090` the name belongs to no number.
  const pair =
    own(numberNames, token) === 'gpuCount' && gpuAt(next, models) ? undefined : readPair(token, next, draft);
  if (pair !== undefined) {
    return { reading: pair, length: 2 };
  }
  // `8 h100`
  const isCount = /^(?:[1-9]|1[0-6])$/.test(token) && gpuAt(tokens.slice(at + 1), models) !== undefined;
  const reading = readCount(isCount ? `x${token}` : token, draft) ?? readComparison(token, draft);
  return reading === undefined
    ? readWords([bare, ...tokens.slice(at + 1)], negated, draft)
    : { reading, length: 1 };
}

/** Reads `no us` as `-us`; `no` alone and the one in `se no fi` is Norway. */
function readNo(
  tokens: readonly string[],
  at: number,
  draft: Draft,
  models: readonly string[],
): Read | undefined {
  const [unwanted = '', ...others] = tokens.slice(at + 1);
  const [before, last = ''] = [tokens[at - 2], tokens[at - 1]];
  const isInList = before !== 'no' && findPlaces(last).length === 1 && findPlaces(unwanted).length > 0;
  const read =
    unwanted === '' || isInList ? undefined : readAt([`-${unwanted}`, ...others], 0, draft, models);
  return read && { ...read, length: read.length + 1 };
}

/** Returns the models that the tokens begin with. The longest name wins: "4070 ti" is not a 4070. */
function gpuAt(
  tokens: readonly string[],
  models: readonly string[],
): { readonly found: readonly string[]; readonly length: number } | undefined {
  for (let length = Math.min(4, tokens.length); length >= 1; length -= 1) {
    const parts = tokens.slice(0, length);
    const found = parts.every((part) => /[a-z0-9]/.test(part)) ? findGpuModels(parts.join(' '), models) : [];
    if (found.length > 0) {
      return { found, length };
    }
  }
  return undefined;
}

/** Reads `64gb ram` and `ram 64gb`. */
function readPair(token: string, [next, afterNext, last = '']: readonly string[], draft: Draft): Reading {
  const unitOf = (word: string) => {
    const groups = comparison.exec(word)?.groups;
    return groups?.['name'] === '' ? (groups['unit'] ?? '') : undefined;
  };
  const keyOf = (word: string) => (word.length > 1 ? own(numberNames, word) : undefined);
  if (next === undefined) {
    return undefined;
  }
  const join = (name: string, number: string) =>
    readComparison(`${name}${/^[<>=≤≥:]/.test(number) ? '' : ':'}${number}`, draft);
  const nextKey = keyOf(next);
  const unit = unitOf(token);
  const isPrice = /\$|\/h$/.test(token) && nextKey !== 'pricePerHour';
  // In `<0.8 cuda >=12` the name belongs to the number after it, and the one before is a price.
  const isOnItsOwn =
    unit === '' && /^[<>=≤≥]/.test(token) && afterNext !== undefined && unitOf(afterNext) !== undefined;
  // In `24gb ram 64gb` one amount is that of the GPU, which has less memory than the machine.
  const isLess =
    (nextKey === 'ramGb' || nextKey === 'diskGb') &&
    memoryUnits.includes(unit ?? '') &&
    memoryUnits.includes(unitOf(afterNext ?? '') ?? '') &&
    keyOf(last) === undefined &&
    amountOf(token) < amountOf(afterNext ?? '');
  if (isLess) {
    return undefined;
  }
  if (nextKey !== undefined && unit !== undefined && suits(unit, nextKey) && !isPrice && !isOnItsOwn) {
    return join(next, token);
  }
  const [key, nextUnit] = [keyOf(token), unitOf(next)];
  return key !== undefined && nextUnit !== undefined && suits(nextUnit, key) ? join(token, next) : undefined;
}

/** Returns the amount of `24gb` or `1tb` in GB. */
function amountOf(token: string): number {
  const { number = '', unit = '' } = comparison.exec(token)?.groups ?? {};
  return Number(number.replace(',', '.')) * (own(unitScales, unit) ?? 1);
}

/** Returns whether a number with this unit fits the field: `24gb cuda` is not a CUDA version. */
function suits(unit: string, key: NumberKey): boolean {
  if (memoryUnits.includes(unit)) return ['ramGb', 'diskGb', 'gpuRamGb', 'gpuTotalRamGb'].includes(key);
  if (speedUnits.includes(unit)) return ['downMbit', 'upMbit'].includes(key);
  if (timeUnits.includes(unit)) return key === 'days';
  if (unit === '%') return key === 'reliability';
  // `16cores` has its field already.
  return [undefined, key].includes(own(numberNames, unit));
}

function addChoice(draft: Draft, key: ChoiceKey, values: readonly string[], negated: boolean): ChoiceKey {
  const choice = draft.choices.get(key) ?? { oneOf: [], noneOf: [] };
  (negated ? choice.noneOf : choice.oneOf).push(...values);
  draft.choices.set(key, choice);
  return key;
}

function readCount(token: string, draft: Draft): Reading {
  const groups = (countBefore.exec(token) ?? countAfter.exec(token))?.groups;
  if (!groups) {
    return undefined;
  }
  const count = Number(groups['n']);
  draft.numbers.set('gpuCount', groups['plus'] === undefined ? { min: count, max: count } : { min: count });
  return 'gpuCount';
}

function readComparison(token: string, draft: Draft): Reading {
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
  const scale = own(unitScales, unit) ?? 1;
  const inUnits = tidy(key === 'reliability' && number <= 1 ? number * 100 : number * scale);
  const value = hours > 1 ? Math.floor((inUnits / hours) * 1e4) / 1e4 : inUnits;
  const range = rangeOf(groups['op'], groups['plus'] !== undefined, value, key);
  draft.numbers.set(key, { ...draft.numbers.get(key), ...range });
  return key;
}

function tidy(value: number): number {
  return Number(value.toPrecision(12));
}

/** Operators that set an upper limit. */
const upperLimits: readonly string[] = ['<', '<=', '=<', '≤'];

/** Fields for which a number without an operator means "exactly". */
const exactFields: readonly NumberKey[] = ['gpuCount'];

function rangeOf(op: string | undefined, plus: boolean, value: number, key: NumberKey): NumberRange {
  if (op !== undefined && upperLimits.includes(op)) {
    return { max: value };
  }
  if (key === 'pricePerHour' && (op === undefined || op === ':')) {
    return plus ? { min: value } : { max: value };
  }
  if (!plus && exactFields.includes(key) && (op === undefined || op === ':')) {
    return { min: value, max: value };
  }
  return op === '=' ? { min: value, max: value } : { min: value };
}

const memoryUnits = ['gb', 'g', 'gib', 'tb'];
const speedUnits = ['mbit', 'mbps', 'gbit', 'gbps'];
const timeUnits = ['d', 'day', 'days', 'w', 'week', 'weeks', 'month', 'months'];

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
  if (priced) return 'pricePerHour';
  if (memoryUnits.includes(unit)) return 'gpuRamGb';
  if (unit === '%') return 'reliability';
  if (speedUnits.includes(unit)) return 'downMbit';
  if (timeUnits.includes(unit)) return 'days';
  if (unit !== '') return own(numberNames, unit);
  // `<0.8` without a name is a price: users name every other field with an upper limit.
  if (op !== undefined && upperLimits.includes(op)) return 'pricePerHour';
  if (op === undefined) return undefined;
  return value <= 1 ? 'pricePerHour' : 'gpuRamGb';
}

/** Reads flags, rental types and places, which may have several words: `static ip`, `united states`. */
function readWords(tokens: readonly string[], negated: boolean, draft: Draft): Read | undefined {
  const [first = '', ...others] = tokens;
  // `in europe`, but `in` alone is India.
  const place = first === 'in' && !negated ? readWords(others, negated, draft) : undefined;
  if (place?.reading === 'country') {
    return { ...place, length: place.length + 1 };
  }
  for (let length = Math.min(3, tokens.length); length >= 1; length -= 1) {
    const reading = readWord(tokens.slice(0, length), negated, draft);
    if (reading !== undefined) {
      return { reading, length };
    }
  }
  return undefined;
}

function readWord(parts: readonly string[], negated: boolean, draft: Draft): Reading {
  const word = parts.join('').replace(/(?<=.)[-_]/g, '');
  const [, name = '', value] = /^(.+?)[=:](true|yes|false|no)$/.exec(word) ?? ['', word];
  const flag = own(flagNames, name);
  if (flag) {
    const isUnwanted = negated !== (value === 'false' || value === 'no');
    draft.flags.set(flag[0], isUnwanted ? !flag[1] : flag[1]);
    return flag[0];
  }
  const rentalType = own(rentalNames, word);
  if (rentalType) {
    const isInterruptible = (rentalType === 'interruptible') !== negated;
    draft.rentalType = isInterruptible ? 'interruptible' : 'on-demand';
    return isInterruptible ? text('Interruptible') : text('On demand');
  }
  const place = parts.join(' ');
  const countries = findPlaces(place);
  const state = negated ? undefined : findUsState(place);
  if (state !== undefined) {
    // The service knows countries only, so a row must name the state.
    draft.states.push(state);
    return addChoice(draft, 'country', [...countries, 'US'], false);
  }
  return countries.length === 0 ? undefined : addChoice(draft, 'country', countries, negated);
}

function finish(draft: Draft): Filters {
  const choices = [...draft.choices].map(([key, choice]) => [
    key,
    {
      ...(choice.oneOf.length === 0 ? {} : { oneOf: [...new Set(choice.oneOf)] }),
      ...(choice.noneOf.length === 0 ? {} : { noneOf: [...new Set(choice.noneOf)] }),
    },
  ]);
  return Object.fromEntries([...draft.numbers, ...choices, ...draft.flags]) as Filters;
}
