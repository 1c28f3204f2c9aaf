import * as vscode from 'vscode';
import { localize, t } from '../../editor/localize';
import type { QuickInput } from '../../editor/quickInput';
import type { Level, LevelRow } from '../../editor/quickLevels';
import { filterValueText, numberText } from '../../model/offers/filterText';
import { withFilter, type MarketQuery } from '../../model/offers/marketQuery';
import { countries, findPlaces, regionNames } from '../../model/offers/places';
import {
  choiceKeys,
  fieldLabel,
  flagKeys,
  numberField,
  numberKeys,
  type Choice,
  type ChoiceKey,
  type FieldKey,
  type FlagKey,
  type NumberKey,
  type NumberRange,
} from '../../model/offers/searchFields';
import { typedRanges, type Bound } from '../../model/offers/typedRange';

/** The query that the filter levels change. */
export interface QueryEditor {
  readonly query: MarketQuery;
  readonly gpuNames: readonly string[];
  /** The number of offers, such as "37 offers", for the row that leads back. */
  readonly count: string;
  set(query: MarketQuery): void;
}

/** Values offered for a field, so that common ones need no typing. */
const presets: Partial<Record<NumberKey, readonly number[]>> = {
  gpuCount: [1, 2, 4, 8],
  gpuRamGb: [8, 12, 16, 24, 40, 48, 80],
  gpuTotalRamGb: [24, 48, 96, 160, 320, 640],
  pricePerHour: [0.2, 0.4, 0.6, 1, 2, 4],
  reliability: [90, 95, 98, 99, 99.5],
  cuda: [11.8, 12.1, 12.4, 12.6, 12.8, 13],
  computeCapability: [7.5, 8, 8.6, 8.9, 9, 10, 12],
  ports: [1, 2, 4, 10, 20],
  ramGb: [16, 32, 64, 128, 256],
  diskGb: [50, 100, 200, 500, 1000],
  cpuCores: [4, 8, 16, 32],
  downMbit: [100, 250, 500, 1000],
  upMbit: [100, 250, 500, 1000],
  days: [1, 3, 7, 30],
};

/** Fields that usually have an upper limit. */
const upperFields: readonly NumberKey[] = [
  'pricePerHour',
  'minBid',
  'downPerGb',
  'upPerGb',
  'storagePerGbMonth',
];
const exactFields: readonly NumberKey[] = ['gpuCount', 'pcieGeneration'];

/** Returns the third level: the values of one filter. */
export function fieldLevel(key: FieldKey, picker: QuickInput, editor: QueryEditor): Level {
  const number = numberKeys.find((one) => one === key);
  if (number) {
    return numberLevel(number, picker, editor);
  }
  const choice = choiceKeys.find((one) => one === key);
  const flag = flagKeys.find((one) => one === key);
  return choice ? choiceLevel(choice, picker, editor) : flagLevel(flag ?? 'verified', picker, editor);
}

function title(key: FieldKey): string {
  return t('Search Offers: {0}', localize(fieldLabel(key)));
}

function numberLevel(key: NumberKey, picker: QuickInput, editor: QueryEditor): Level {
  const field = numberField(key);
  const choose = (range: NumberRange | undefined) => {
    editor.set({ ...editor.query, filters: withFilter(editor.query.filters, key, range) });
    picker.pop();
  };
  const show = (value: number) => numberText(value, field.unit);
  const row = (range: NumberRange): LevelRow => {
    const label = rangeLabel(range, show);
    return { id: label, label, alwaysShow: true, run: () => choose(range) };
  };
  const natural: Bound = upperFields.includes(key) ? 'most' : exactFields.includes(key) ? 'exactly' : 'least';
  return {
    title: title(key),
    placeholder: t('Choose, or type a number or a range such as 2-8'),
    followsTyping: true,
    rows: (typed) => {
      if (typed.trim() !== '') {
        const ranges = typedRanges(typed, natural);
        return ranges.length === 0 ? [{ label: t('Enter a number.'), alwaysShow: true }] : ranges.map(row);
      }
      const any: LevelRow = { id: 'any', label: t('Any'), run: () => choose(undefined) };
      const usual = (presets[key] ?? []).flatMap((value) => typedRanges(String(value), natural)[0] ?? []);
      return [any, ...usual.map(row)];
    },
  };
}

function rangeLabel({ min, max }: NumberRange, show: (value: number) => string): string {
  if (min !== undefined && max !== undefined) {
    return min === max ? t('Exactly {0}', show(min)) : `${show(min)} – ${show(max)}`;
  }
  return max === undefined ? t('At least {0}', show(min ?? 0)) : t('At most {0}', show(max));
}

function flagLevel(key: FlagKey, picker: QuickInput, editor: QueryEditor): Level {
  const row = (id: string, label: string, value: boolean | undefined): LevelRow => ({
    id,
    label,
    run: () => {
      editor.set({ ...editor.query, filters: withFilter(editor.query.filters, key, value) });
      picker.pop();
    },
  });
  const value = editor.query.filters[key];
  return {
    title: title(key),
    placeholder: t('Does it matter?'),
    activeId: () => (value === undefined ? 'any' : value ? 'yes' : 'no'),
    rows: () => [
      row('yes', t('Yes'), true),
      row('no', t('No'), false),
      row('any', t('Does Not Matter'), undefined),
    ],
  };
}

function choiceLevel(key: ChoiceKey, picker: QuickInput, editor: QueryEditor): Level {
  if (key !== 'gpu' && key !== 'country') {
    return freeChoiceLevel(key, picker, editor);
  }
  const { oneOf: chosen = [], noneOf = [] } = editor.query.filters[key] ?? {};
  const excluded: readonly LevelRow[] =
    noneOf.length === 0
      ? []
      : [{ id: excludedId, label: localize(filterValueText(key, { [key]: { noneOf } })) }];
  const options: readonly LevelRow[] =
    key === 'gpu' ? editor.gpuNames.map((name) => ({ id: name, label: name })) : placeRows();
  const ids = options.map((row) => row.id);
  return {
    title: title(key),
    placeholder: t('Select one or more and press Enter; none means any'),
    rows: () => [
      ...excluded,
      ...chosen.filter((id) => !ids.includes(id)).map((id) => ({ id, label: id })),
      ...options,
    ],
    many: {
      ticked: [...excluded.map(() => excludedId), ...chosen],
      accept: (ticked) => {
        const wanted = ticked.filter((id) => id !== excludedId);
        const choice = {
          oneOf: key === 'country' ? [...new Set(wanted.flatMap(codesOf))] : wanted,
          noneOf: ticked.includes(excludedId) ? noneOf : [],
        };
        editor.set({
          ...editor.query,
          filters: withFilter(editor.query.filters, key, compactChoice(choice)),
        });
        picker.pop();
      },
    },
  };
}

/** The row of all exclusions together; its tick keeps them. */
const excludedId = 'excluded';
const regionPrefix = 'region:';

/** Returns the choice without empty lists; `undefined` for one that accepts everything. */
function compactChoice({ oneOf = [], noneOf = [] }: Choice): Choice | undefined {
  return oneOf.length + noneOf.length === 0
    ? undefined
    : { ...(oneOf.length === 0 ? {} : { oneOf }), ...(noneOf.length === 0 ? {} : { noneOf }) };
}

function codesOf(id: string): readonly string[] {
  return id.startsWith(regionPrefix) ? findPlaces(id.slice(regionPrefix.length)) : [id];
}

function placeRows(): readonly LevelRow[] {
  return [
    ...Object.entries(regionNames).map(([key, name]) => ({
      id: `${regionPrefix}${key}`,
      label: localize(name),
      description: t('{0} countries', findPlaces(key).length),
    })),
    { label: t('Countries'), kind: vscode.QuickPickItemKind.Separator },
    ...countries.map(({ code, name }) => ({ id: code, label: name, description: code })),
  ];
}

/** Returns a level for values that are typed, such as machine numbers, separated by commas. */
function freeChoiceLevel(key: ChoiceKey, picker: QuickInput, editor: QueryEditor): Level {
  const choose = (values: readonly string[]) => {
    const choice = values.length === 0 ? undefined : { ...editor.query.filters[key], oneOf: values };
    editor.set({ ...editor.query, filters: withFilter(editor.query.filters, key, choice) });
    picker.pop();
  };
  return {
    title: title(key),
    placeholder: t('Type one or more, separated by commas'),
    followsTyping: true,
    line: () => editor.query.filters[key]?.oneOf?.join(', ') ?? '',
    rows: (typed) => {
      const values = typed
        .split(',')
        .map((value) => value.trim())
        .filter((value) => value !== '');
      const any: LevelRow = {
        id: 'any',
        label: t('Any'),
        alwaysShow: true,
        run: () => choose([]),
      };
      return values.length === 0
        ? [any]
        : [{ id: 'typed', label: values.join(', '), alwaysShow: true, run: () => choose(values) }, any];
    },
  };
}
