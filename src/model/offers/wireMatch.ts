import type { FilterPrimitive, OfferSearch, WireFiltersShape } from './filters';
import type { Offer } from './offer';
import {
  choiceField,
  choiceKeys,
  flagField,
  flagKeys,
  numberField,
  numberKeys,
  type FieldKey,
  type NumberField,
} from './searchFields';

const operators = new Set(['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'notin']);

/** A stored filter in the shape of a search; what is not a comparison is left out. */
export function cleanWireFilters(filters: WireFiltersShape | undefined): OfferSearch['filters'] {
  const clean: Record<string, Record<string, FilterPrimitive | readonly FilterPrimitive[]>> = {};
  for (const [field, comparisons] of Object.entries(filters ?? {})) {
    for (const [operator, value] of Object.entries(comparisons)) {
      if (operators.has(operator) && isFilterValue(value)) {
        clean[field] = { ...clean[field], [operator]: value };
      }
    }
  }
  return clean;
}

function isFilterValue(value: unknown): value is FilterPrimitive | readonly FilterPrimitive[] {
  return Array.isArray(value) ? value.every(isPrimitive) : isPrimitive(value);
}

function isPrimitive(value: unknown): value is FilterPrimitive {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Merges a user's filters over a template's, field by field (docs/service/renting.md#template-merge). */
export function mergeWireFilters(
  template: WireFiltersShape | undefined,
  own: OfferSearch['filters'],
): OfferSearch['filters'] {
  return { ...cleanWireFilters(template), ...own };
}

/** The fields of a wire filter that an offer does not satisfy; what is not known satisfies. */
export function wireMisfits(offer: Offer, filters: WireFiltersShape | undefined): readonly FieldKey[] {
  const clean = cleanWireFilters(filters);
  return [...numberKeys, ...choiceKeys, ...flagKeys].filter((key) => {
    const { name, value } = wireValue(offer, key);
    const comparisons = clean[name];
    return (
      comparisons !== undefined &&
      value !== undefined &&
      !Object.entries(comparisons).every(([operator, other]) => holds(value, operator, other))
    );
  });
}

function wireValue(offer: Offer, key: FieldKey): { name: string; value: FilterPrimitive | undefined } {
  const number = numberKeys.find((one) => one === key);
  if (number) {
    const field = numberField(number);
    return { name: field.wire, value: numberOnWire(offer, field) };
  }
  const choice = choiceKeys.find((one) => one === key);
  if (choice) {
    return { name: choiceField(choice).wire, value: choiceField(choice).of?.(offer) };
  }
  const flag = flagKeys.find((one) => one === key);
  return flag
    ? { name: flagField(flag).wire, value: flagField(flag).of?.(offer) }
    : { name: '', value: undefined };
}

function numberOnWire(offer: Offer, field: NumberField): number | undefined {
  if (field.wireOf) {
    return field.wireOf(offer);
  }
  const value = field.of?.(offer);
  return value === undefined ? undefined : value * (field.scale ?? (field.least ? field.least(1) : 1));
}

function holds(
  value: FilterPrimitive,
  operator: string,
  other: FilterPrimitive | readonly FilterPrimitive[],
): boolean {
  const list = Array.isArray(other) ? (other as readonly FilterPrimitive[]) : [other as FilterPrimitive];
  const [first = ''] = list;
  const same = (one: FilterPrimitive) => plainValue(one) === plainValue(value);
  const difference = Number(value) - Number(first);
  // Forgives what a change of units costs: 99 % is 0.99 as a share.
  const order = Math.abs(difference) <= Math.abs(Number(first)) * 1e-9 ? 0 : Math.sign(difference);
  const comparable = Number.isFinite(Number(value)) && Number.isFinite(Number(first));
  switch (operator) {
    case 'eq':
    case 'in':
      return list.some(same);
    case 'neq':
    case 'notin':
      return !list.some(same);
    case 'gt':
      return !comparable || order > 0;
    case 'gte':
      return !comparable || order >= 0;
    case 'lt':
      return !comparable || order < 0;
    case 'lte':
      return !comparable || order <= 0;
    default:
      return true;
  }
}

/** `"RTX_4090"` and `"RTX 4090"`, `"true"` and `true`, `"2"` and `2` are the same. */
function plainValue(value: FilterPrimitive): string {
  return String(value).replace(/_/g, ' ').toLowerCase();
}
