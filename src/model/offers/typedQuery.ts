import { text, type Text } from '../../util/text';
import { filterValueText } from './filterText';
import { findGpuModels, knownGpuModels } from './gpuModels';
import type { RentalType } from './offer';
import { findPlaces, findUsState } from './places';
import { fieldLabel, type FieldKey, type Filters } from './searchFields';
import { readTerm, type TermReading } from './serviceTermReading';
import {
  inOneCommand,
  commandLineFields,
  operators,
  splitServiceTerms,
  type ServiceTerm,
} from './serviceTerms';
import {
  addChoice,
  amountOf,
  comparison,
  finish,
  memoryUnits,
  newDraft,
  readComparison,
  suits,
  type Draft,
} from './typedDraft';
import { flagNames, numberNames, own, rentalNames } from './typedNames';
import { fillers, rowWords } from './typedPhrases';
import { tokenize } from './typedTokens';

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
  /** Fields that may have any value, after any choice. */
  readonly unlimited?: readonly FieldKey[];
  /** Comparisons that filter nothing. */
  readonly unread?: readonly Unread[];
}

export interface Unread {
  /** The typed text. */
  readonly source: string;
  readonly reason: Text;
}

interface Found {
  readonly readings: { source: string; reading: FieldKey | Text }[];
  readonly words: string[];
  readonly unread: Unread[];
}

/** What a token means: the field it set or a text. Undefined if the rule does not apply. */
type Reading = FieldKey | Text | undefined;

const countBefore = /^[x×*](?<n>\d{1,3})(?<plus>\+)?$/;
const countAfter = /^(?<n>\d{1,3})[x×*](?<plus>\+)?$/;

/** Longer lines are not read to their end, so that each key stays as quick as the one before. */
const mostCharacters = 500;

/**
 * Parses a typed line. Never fails: unrecognized words are searched for in the rows, and a comparison that is not
 * understood filters nothing.
 */
export function parseTypedQuery(line: string, models: readonly string[] = knownGpuModels): TypedQuery {
  const draft = newDraft();
  const found: Found = { readings: [], words: [], unread: [] };
  const parts = splitServiceTerms(inOneCommand(line.slice(0, mostCharacters)), models);
  for (const [at, part] of parts.entries()) {
    const isLast = at === parts.length - 1;
    if (typeof part === 'string') {
      readTokens(tokenize(part, models), isLast, draft, models, found);
    } else {
      note(readTerm(part, isLast, draft, models), part.source, found);
    }
  }
  if (line.length > mostCharacters) {
    found.unread.push({ source: line.slice(mostCharacters), reason: text('The search is too long.') });
  }
  const filters = finish(draft);
  const meaningOf = (reading: FieldKey | Text) =>
    typeof reading !== 'string'
      ? reading
      : filters[reading] === undefined
        ? text('{0}: any', fieldLabel(reading))
        : text('{0}: {1}', fieldLabel(reading), filterValueText(reading, filters));
  return {
    filters,
    ...(draft.rentalType === undefined ? {} : { rentalType: draft.rentalType }),
    ...(draft.unlimited.size === 0 ? {} : { unlimited: [...draft.unlimited] }),
    understood: found.readings.map(({ source, reading }) => ({ source, meaning: meaningOf(reading) })),
    words: [...draft.states, ...found.words],
    ...(found.unread.length === 0 ? {} : { unread: found.unread }),
  };
}

function note(read: TermReading, source: string, { readings, unread }: Found): void {
  if (typeof read === 'object' && 'unread' in read) {
    unread.push({ source, reason: read.unread });
  } else if (read !== undefined) {
    readings.push({ source, reading: read });
  }
}

function readTokens(
  tokens: readonly string[],
  isLast: boolean,
  draft: Draft,
  models: readonly string[],
  found: Found,
): void {
  for (let at = 0; at < tokens.length;) {
    const read = readAt(tokens, at, draft, models);
    const length = read?.length ?? 1;
    const source = tokens.slice(at, at + length).join(' ');
    const compared = read === undefined && !fillers.has(source) ? comparedAt(tokens, at) : undefined;
    at += compared?.length ?? length;
    if (read !== undefined) {
      found.readings.push({ source, reading: read.reading });
    } else if (compared) {
      note(readTerm(compared.term, false, draft, models), compared.term.source, found);
    } else if (
      !fillers.has(source) &&
      !(isLast && tokens.slice(at).every(isOperator) && isBeginning(source))
    ) {
      found.words.push(source);
    }
  }
}

/** Returns a comparison with a name that is no filter, such as `foo > 5`: its number is not that of another filter. */
function comparedAt(
  tokens: readonly string[],
  at: number,
): { readonly term: ServiceTerm; readonly length: number } | undefined {
  const [token = '', next = '', afterNext] = tokens.slice(at, at + 3);
  // `foo >5`, `foo > 5` and `cuda>=abc`
  const joined = /^([a-z_][a-z_\d]*)([<>=≤≥!]+)(.+)$/s.exec(token);
  const apart = joined ? null : /^([<>=≤≥!]+)(.*)$/s.exec(next);
  const name = joined?.[1] ?? token;
  const sign = joined?.[2] ?? apart?.[1] ?? '';
  const isAttached = joined !== null || apart?.[2] !== '';
  const value = joined?.[3] ?? (isAttached ? apart?.[2] : afterNext);
  if (!/^[a-z_][a-z_\d]*$/.test(name) || rowWords.has(name) || sign === '' || value === undefined) {
    return undefined;
  }
  const length = joined ? 1 : isAttached ? 2 : 3;
  const operator = own(operators, sign) ?? 'eq';
  const source = tokens.slice(at, at + length).join(' ');
  return { term: { source, name, operator, values: [value] }, length };
}

/** The last word may be incomplete: `cud` or `>=` must not empty the list while the user types. */
function isBeginning(word: string): boolean {
  const names = [numberNames, flagNames, rentalNames, commandLineFields].flatMap((table) =>
    Object.keys(table),
  );
  const vocabulary = [...names, ...fillers];
  return (
    isOperator(word) ||
    vocabulary.some((name) => name.startsWith(word.replace(/(?<![<>=≤≥:$])[<>=≤≥:$]+$/, '')))
  );
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

function readCount(token: string, draft: Draft): Reading {
  const groups = (countBefore.exec(token) ?? countAfter.exec(token))?.groups;
  if (!groups) {
    return undefined;
  }
  const count = Number(groups['n']);
  draft.numbers.set('gpuCount', groups['plus'] === undefined ? { min: count, max: count } : { min: count });
  return 'gpuCount';
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
