import { cleanWireFilters, type FilterPrimitive, type OfferSearch, type WireFiltersShape } from './filters';
import { soldGpuGb } from './gpuMemory';
import {
  choiceField,
  choiceKeys,
  flagField,
  flagKeys,
  numberField,
  numberKeys,
  type Choice,
  type Filters,
  type NumberKey,
  type NumberRange,
} from './searchFields';

export interface ReadFilters {
  /** The filters that users can see and change. */
  readonly filters: Filters;
  /** The filters that `filters` can't express, in the service's names. They are sent unchanged. */
  readonly extraFilters: OfferSearch['filters'];
}

type Comparisons = OfferSearch['filters'][string];

/** Reads filters of a template, a workspace or a page, and converts them to the users' units where possible. */
export function readWireFilters(wire: WireFiltersShape | undefined): ReadFilters {
  const clean = cleanWireFilters(wire);
  const filters: Record<string, unknown> = {};
  const extraFilters: Record<string, Comparisons> = {};
  for (const [name, comparisons] of Object.entries(clean)) {
    const read = readField(name, comparisons);
    if (read) {
      filters[read.key] = read.value;
    } else {
      extraFilters[name] = comparisons;
    }
  }
  return { filters, extraFilters };
}

function readField(
  name: string,
  comparisons: Comparisons,
): { readonly key: string; readonly value: unknown } | undefined {
  const number = numberKeys.find((key) => numberField(key).wire === name);
  if (number) {
    const value = readRange(number, comparisons);
    return value && { key: number, value };
  }
  const choice = choiceKeys.find((key) => choiceField(key).wire === name);
  if (choice) {
    const value = readChoice(choice === 'gpu', comparisons);
    return value && { key: choice, value };
  }
  const flag = flagKeys.find((key) => flagField(key).wire === name);
  const wanted = onlyValue(comparisons, 'eq');
  const value =
    wanted === true || wanted === 'true' ? true : wanted === false || wanted === 'false' ? false : undefined;
  return flag && value !== undefined ? { key: flag, value } : undefined;
}

/** Returns the value if this is the only comparison. */
function onlyValue(comparisons: Comparisons, operator: string): FilterPrimitive | undefined {
  const [entry, another] = Object.entries(comparisons);
  return entry && !another && entry[0] === operator && !isList(entry[1]) ? entry[1] : undefined;
}

function isList(value: FilterPrimitive | readonly FilterPrimitive[]): value is readonly FilterPrimitive[] {
  return Array.isArray(value);
}

function readRange(key: NumberKey, comparisons: Comparisons): NumberRange | undefined {
  const range: { min?: number; max?: number } = {};
  for (const [operator, value] of Object.entries(comparisons)) {
    const number = isList(value) ? NaN : Number(value);
    if (!Number.isFinite(number)) {
      return undefined;
    }
    const people = toPeople(key, number);
    if (operator === 'eq') {
      range.min = people;
      range.max = people;
    } else if (operator === 'gte') {
      range.min = people;
    } else if (operator === 'lte') {
      range.max = people;
    } else {
      // `gt` and `lt` exclude the bound, while ranges in the users' units include it.
      return undefined;
    }
  }
  return range;
}

function toPeople(key: NumberKey, wire: number): number {
  const field = numberField(key);
  if (key === 'gpuRamGb') {
    return soldGpuGb(wire);
  }
  if (key === 'gpuTotalRamGb') {
    return Math.round(wire / 1024);
  }
  if (key === 'driver') {
    return Math.floor(wire / 1_000_000);
  }
  return Number((wire / (field.scale ?? 1)).toPrecision(12));
}

function readChoice(isGpu: boolean, comparisons: Comparisons): Choice | undefined {
  const choice: { oneOf?: readonly string[]; noneOf?: readonly string[] } = {};
  for (const [operator, value] of Object.entries(comparisons)) {
    const values = (isList(value) ? value : [value]).map((one) =>
      isGpu ? String(one).replace(/_/g, ' ') : String(one),
    );
    if (operator === 'eq' || operator === 'in') {
      choice.oneOf = values;
    } else if (operator === 'neq' || operator === 'notin') {
      choice.noneOf = values;
    } else {
      return undefined;
    }
  }
  return choice;
}
