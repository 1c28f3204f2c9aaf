import { text, type Text } from '../../util/text';
import type { MarketQuery, SortOrder } from './marketQuery';
import { placeName, regionName } from './places';
import {
  choiceKeys,
  fieldLabel,
  flagField,
  flagKeys,
  numberField,
  numberKeys,
  type Choice,
  type FieldKey,
  type Filters,
  type NumberField,
  type NumberRange,
} from './searchFields';

/** Formats a number with its unit: `24 GB`, `1 day`, `$0.80`, `99 %`. */
export function numberText(value: number, unit: string): string {
  if (unit === '$') {
    const cents = value.toFixed(2);
    return `$${Number(cents) === value ? cents : String(value)}`;
  }
  return unit === '' ? String(value) : `${value} ${unit === 'days' && value === 1 ? 'day' : unit}`;
}

function rangeText(range: NumberRange, field: NumberField): Text | string {
  const { min, max } = range;
  const show = (value: number) => numberText(value, field.unit);
  if (min !== undefined && max !== undefined) {
    return min === max ? show(min) : `${show(min)}–${show(max)}`;
  }
  if (min !== undefined) {
    return `≥ ${show(min)}`;
  }
  return max === undefined ? text('Any') : `≤ ${show(max)}`;
}

/** Returns the names of countries, or the region that they make up. */
function namesOf(key: FieldKey, values: readonly string[]): Text | string {
  return key === 'country' ? (regionName(values) ?? values.map(placeName).join(', ')) : values.join(', ');
}

function choiceText(key: FieldKey, choice: Choice): Text | string {
  const wanted = namesOf(key, choice.oneOf ?? []);
  const unwanted = namesOf(key, choice.noneOf ?? []);
  if (unwanted === '') {
    return wanted === '' ? text('Any') : wanted;
  }
  return wanted === '' ? text('not {0}', unwanted) : text('{0}, not {1}', wanted, unwanted);
}

/** Returns the value of a filter as the user reads it; "any" if the filter is not set. */
export function filterValueText(key: FieldKey, filters: Filters): Text | string {
  const number = numberKeys.find((one) => one === key);
  if (number) {
    return rangeText(filters[number] ?? {}, numberField(number));
  }
  const choice = choiceKeys.find((one) => one === key);
  if (choice) {
    return choiceText(choice, filters[choice] ?? {});
  }
  const flag = flagKeys.find((one) => one === key);
  const value = flag && filters[flag];
  return value === undefined ? text('Any') : value ? text('Yes') : text('No');
}

/** Returns the fields that are set, in the order of the tables. */
function setFields(filters: Filters): readonly FieldKey[] {
  return [...choiceKeys, ...numberKeys, ...flagKeys].filter((key) => filters[key] !== undefined);
}

/** Returns a text for each filter that is set: "GPU: RTX 4090", "Verified by the service". */
export function describeFilters(filters: Filters): readonly Text[] {
  return setFields(filters).map((key) => {
    const flag = flagKeys.find((one) => one === key);
    if (flag && filters[flag] === true) {
      return flagField(flag).label;
    }
    return text('{0}: {1}', fieldLabel(key), filterValueText(key, filters));
  });
}

export function sortText(sort: SortOrder): Text {
  const names: Readonly<Record<SortOrder, Text>> = {
    best: text('Best Match'),
    price: text('Lowest Price'),
    value: text('Value for Money'),
    reliability: text('Reliability'),
    memory: text('GPU Memory'),
  };
  return names[sort];
}

/** Returns a description of a saved or recent search, without the filters that every search has by default. */
export function describeQuery(query: MarketQuery): readonly Text[] {
  const { verified, rentable, external, ...others } = query.filters;
  const unusual: Filters = {
    ...others,
    ...(verified === true || verified === undefined ? {} : { verified }),
    ...(rentable === true || rentable === undefined ? {} : { rentable }),
    ...(external === false || external === undefined ? {} : { external }),
  };
  return [
    ...describeFilters(unusual),
    ...(query.rentalType === 'interruptible' ? [text('Interruptible')] : []),
    sortText(query.sort),
  ];
}
