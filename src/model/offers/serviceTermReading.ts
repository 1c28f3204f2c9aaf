import { text, type Text } from '../../util/text';
import { findGpuModels } from './gpuModels';
import { findPlaces } from './places';
import {
  choiceKeys,
  fieldLabel,
  flagKeys,
  numberKeys,
  type ChoiceKey,
  type FieldKey,
  type FlagKey,
  type NumberKey,
} from './searchFields';
import { chosenFields, commandLineFields, type ServiceTerm } from './serviceTerms';
import { addChoice, numberFor, typedLimits, type Draft } from './typedDraft';
import { flagNames, numberNames, own, rentalNames } from './typedNames';

/** The field that a comparison set, or why it filters nothing; undefined while its value is not typed yet. */
export type TermReading = FieldKey | Text | { readonly unread: Text } | undefined;

/** Reads one comparison. It touches the filter of its name or none. */
export function readTerm(
  term: ServiceTerm,
  isLast: boolean,
  draft: Draft,
  models: readonly string[],
): TermReading {
  const { name, values } = term;
  if (values.length === 0 && isLast) {
    return undefined;
  }
  const rental =
    name === 'type' ? own(rentalNames, (values[0] ?? '').toLowerCase().replaceAll('-', '')) : undefined;
  if (rental !== undefined && term.operator === 'eq') {
    draft.rentalType = rental;
    return rental === 'interruptible' ? text('Interruptible') : text('On demand');
  }
  const field = fieldOfTerm(term);
  if (field === undefined) {
    const isService = Object.hasOwn(commandLineFields, name);
    return {
      unread: isService
        ? text('The list can’t be filtered by {0}.', name)
        : text('There is no filter with the name {0}.', name),
    };
  }
  const key = typeof field === 'string' ? field : field[0];
  if (chosenFields.has(key)) {
    return { unread: text('Choose “{0}” under Filters.', fieldLabel(key)) };
  }
  if (term.operator === 'eq' && /^(?:any|\?|\*)$/i.test(values[0] ?? '')) {
    draft.unlimited.add(key);
    return key;
  }
  const number = numberKeys.find((one) => one === key);
  const choice = choiceKeys.find((one) => one === key);
  const flag = flagKeys.find((one) => one === key);
  const isRead =
    (number !== undefined && setNumber(number, term, draft)) ||
    (choice !== undefined && setChoice(choice, term, draft, models)) ||
    (flag !== undefined && setFlag(flag, typeof field === 'string' || field[1], term, draft));
  return isRead ? key : { unread: text('{0} can’t be compared with this value.', name) };
}

/** Returns the field of a name, for a flag with the value that the name means. */
function fieldOfTerm({
  name,
  operator,
  values,
}: ServiceTerm): FieldKey | readonly [FlagKey, boolean] | undefined {
  // `gpu=2` and `gpu=4090`
  const isCount = orders.test(operator) || /^\d{1,2}$/.test(values[0] ?? '');
  if (name === 'gpu' && isCount) {
    return 'gpuCount';
  }
  return own(commandLineFields, name) ?? own(numberNames, name) ?? own(flagNames, name);
}

const signs: Readonly<Partial<Record<ServiceTerm['operator'], string>>> = {
  eq: '=',
  in: '=',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
};

/** Operators that need an order of the values. */
const orders = /^[gl]te?$/;

function setNumber(key: NumberKey, { operator, values }: ServiceTerm, draft: Draft): boolean {
  const [value = '', another] = values;
  const sign = signs[operator];
  const number = another === undefined ? numberFor(key, value.toLowerCase()) : undefined;
  if (number === undefined || sign === undefined) {
    return false;
  }
  draft.numbers.set(key, { ...draft.numbers.get(key), ...typedLimits(sign, false, number, key) });
  return true;
}

function setChoice(
  key: ChoiceKey,
  { operator, values }: ServiceTerm,
  draft: Draft,
  models: readonly string[],
): boolean {
  if (orders.test(operator) || values.length === 0) {
    return false;
  }
  const found = values.map((value) => choicesOf(key, value, models));
  if (found.some((one) => one.length === 0)) {
    return false;
  }
  addChoice(draft, key, found.flat(), operator === 'neq' || operator === 'notin');
  return true;
}

/** Returns what a value means for a field; the client writes spaces as underscores. */
function choicesOf(key: ChoiceKey, typed: string, models: readonly string[]): readonly string[] {
  const value = typed.replaceAll('_', ' ').trim();
  switch (key) {
    case 'gpu':
      return findGpuModels(value, models);
    case 'country':
      return findPlaces(value);
    case 'machine':
    case 'host':
    case 'cluster':
      return /^\d{1,15}$/.test(value) ? [value] : [];
    case 'gpuMaker':
    case 'cpuKind':
      return /^[\w-]+$/.test(typed) ? [typed.toLowerCase()] : [];
    case 'mainboard':
    case 'system':
      return value === '' ? [] : [value];
  }
}

function setFlag(key: FlagKey, meant: boolean, { operator, values }: ServiceTerm, draft: Draft): boolean {
  const [value = '', another] = values;
  const isTrue = /^(?:true|yes|1)$/i.test(value);
  if (another !== undefined || !(isTrue || /^(?:false|no|0)$/i.test(value)) || orders.test(operator)) {
    return false;
  }
  const isSame = operator === 'eq' || operator === 'in';
  draft.flags.set(key, isTrue === isSame ? meant : !meant);
  return true;
}
