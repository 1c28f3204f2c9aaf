import * as vscode from 'vscode';
import { localize, t } from '../../editor/localize';
import type { QuickInput } from '../../editor/quickInput';
import type { Level, LevelRow } from '../../editor/quickLevels';
import { filterValueText, sortText } from '../../model/offers/filterText';
import { sortOrders, type MarketQuery, type SortOrder } from '../../model/offers/marketQuery';
import {
  choiceKeys,
  defaultFilters,
  fieldLabel,
  flagKeys,
  numberKeys,
  type FieldKey,
} from '../../model/offers/searchFields';
import { fieldLevel, type QueryEditor } from './fieldLevels';

/** The most used fields come first in this order, then the others. */
const mainFields: readonly FieldKey[] = [
  'gpu',
  'gpuCount',
  'gpuRamGb',
  'pricePerHour',
  'reliability',
  'country',
  'cuda',
  'ports',
];

/** Returns the second level: each filter with its value. */
export function filtersLevel(
  picker: QuickInput,
  editor: QueryEditor,
  menu: () => readonly LevelRow[],
): Level {
  const open = (level: Level) => {
    picker.push(level);
  };
  const fieldRow = (key: FieldKey): LevelRow => ({
    id: key,
    label: localize(fieldLabel(key)),
    description: localize(filterValueText(key, editor.query.filters)),
    run: () => open(fieldLevel(key, picker, editor)),
  });
  const others = [...numberKeys, ...choiceKeys, ...flagKeys].filter((key) => !mainFields.includes(key));
  return {
    title: t('Search Offers: {0}', t('Filters')),
    placeholder: t('Which one?'),
    activeId: () => 'gpu',
    // The typed text found a field. After its value is chosen, show all fields again.
    line: () => '',
    rows: () => [
      {
        id: 'show',
        icon: 'arrow-left',
        label: t('Show Offers'),
        description: editor.count,
        run: () => picker.pop(),
      },
      ...mainFields.map(fieldRow),
      {
        id: 'rentalType',
        label: t('Rental type'),
        description: rentalTypeName(editor.query.rentalType),
        run: () => open(rentalTypeLevel(picker, editor)),
      },
      {
        id: 'sort',
        label: t('Sort by'),
        description: localize(sortText(editor.query.sort)),
        run: () => open(sortLevel(picker, editor)),
      },
      {
        id: 'reset',
        icon: 'clear-all',
        label: t('Reset All Filters'),
        run: () => {
          editor.set({ ...editor.query, filters: defaultFilters, rentalType: 'on-demand' });
          picker.refresh();
        },
      },
      { label: t('Searches'), kind: vscode.QuickPickItemKind.Separator },
      ...menu(),
      { label: t('More'), kind: vscode.QuickPickItemKind.Separator },
      ...others.map(fieldRow),
    ],
  };
}

function rentalTypeName(type: MarketQuery['rentalType']): string {
  return type === 'interruptible' ? t('Interruptible') : t('On demand');
}

function rentalTypeLevel(picker: QuickInput, editor: QueryEditor): Level {
  const row = (rentalType: MarketQuery['rentalType'], detail: string): LevelRow => ({
    id: rentalType,
    label: rentalTypeName(rentalType),
    detail,
    run: () => {
      editor.set({ ...editor.query, rentalType });
      picker.pop();
    },
  });
  return {
    title: t('Search Offers: {0}', t('Rental type')),
    placeholder: t('How do you want to rent?'),
    activeId: () => editor.query.rentalType,
    rows: () => [
      row('on-demand', t('Fixed price. The machine is yours until you destroy the instance.')),
      row('interruptible', t('You bid a price. Cheaper, but stopped when another user bids more.')),
    ],
  };
}

function orderMeaning(sort: SortOrder): string {
  const meanings: Readonly<Record<SortOrder, string>> = {
    best: t("The service's ranking, with one of each GPU model first"),
    price: t('Total cost per hour, including storage'),
    value: t('Deep learning score per dollar'),
    reliability: t('Share of time that the machine was reachable'),
    memory: t('Total memory of all GPUs'),
  };
  return meanings[sort];
}

export function sortLevel(picker: QuickInput, editor: QueryEditor): Level {
  return {
    title: t('Search Offers: {0}', t('Sort by')),
    placeholder: t('Which offers come first?'),
    activeId: () => editor.query.sort,
    rows: () =>
      sortOrders.map((sort) => ({
        id: sort,
        label: localize(sortText(sort)),
        detail: orderMeaning(sort),
        run: () => {
          editor.set({ ...editor.query, sort });
          picker.pop();
        },
      })),
  };
}
