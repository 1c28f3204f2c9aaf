import * as vscode from 'vscode';
import { localize, t } from '../../editor/localize';
import type { QuickInput } from '../../editor/quickInput';
import type { Level, LevelRow } from '../../editor/quickLevels';
import { labelOf } from '../../editor/titles';
import { describeQuery } from '../../model/offers/filterText';
import type { MarketQuery } from '../../model/offers/marketQuery';
import { defaultQuery, searchKey, type SavedSearch } from '../../model/offers/savedSearches';
import { plainLabel } from '../../util/plainLabel';
import type { QueryEditor } from './fieldLevels';
import type { ListTools } from './offerTools';

/** Saved searches are settings, so that Settings Sync carries them to other computers. */
export interface SavedSearches {
  list(): readonly SavedSearch[];
  save(name: string, query: MarketQuery): Promise<void>;
  /** Renames the search and replaces one that has the new name. */
  rename(name: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
}

export interface SavedDeps {
  readonly saved: SavedSearches;
  readonly recent: readonly MarketQuery[];
  /** The current search, including the typed filters. */
  readonly current: () => MarketQuery;
  readonly report: (error: unknown) => void;
  readonly tools: Pick<ListTools, 'watch' | 'manageWatches' | 'watched'>;
}

function describe(query: MarketQuery): string {
  return describeQuery(query).map(localize).join(' · ');
}

/** Returns the level with saved and recent searches and a row that saves the current one. */
export function savedLevel(picker: QuickInput, editor: QueryEditor, deps: SavedDeps): Level {
  const use = (query: MarketQuery) => {
    editor.set(query);
    picker.pop();
  };
  const savedRow = ({ name, query }: SavedSearch): LevelRow => ({
    id: `saved:${name}`,
    label: plainLabel(name),
    detail: describe(query),
    buttons: [
      {
        iconPath: new vscode.ThemeIcon('edit'),
        tooltip: t('Rename This Saved Search'),
        run: () => picker.push(renameLevel(picker, name, deps)),
      },
      {
        iconPath: new vscode.ThemeIcon('trash'),
        tooltip: t('Delete This Saved Search'),
        run: () => void deps.saved.remove(name).then(() => picker.refresh(), deps.report),
      },
    ],
    run: () => use(query),
  });
  return {
    title: t('Search Offers: {0}', t('Saved and Recent Searches')),
    placeholder: t('Which one?'),
    // The typed text found a row. After its action, show all rows again.
    line: () => '',
    rows: () => {
      const saved = deps.saved.list();
      return [
        {
          id: 'save',
          icon: 'save',
          label: t('Save This Search…'),
          detail: describe(deps.current()),
          run: () => picker.push(saveLevel(picker, deps)),
        },
        ...watchRows(picker, deps),
        ...(saved.length === 0
          ? []
          : [
              { label: t('Saved'), kind: vscode.QuickPickItemKind.Separator },
              ...saved.map(savedRow),
              {
                id: 'manage',
                icon: 'edit',
                label: t('Rename or Delete…'),
                run: () => picker.push(manageLevel(picker, deps)),
              },
            ]),
        { label: t('Recent'), kind: vscode.QuickPickItemKind.Separator },
        ...deps.recent.map((query) => ({
          id: `recent:${searchKey(query)}`,
          label: describe(query),
          run: () => use(query),
        })),
        {
          id: 'default',
          label: t('Default Search'),
          detail: t('Verified machines that can be rented now'),
          run: () => use(defaultQuery),
        },
      ];
    },
  };
}

/** Returns the buttons of the saved searches as rows, for keyboard users. */
function manageLevel(picker: QuickInput, deps: SavedDeps): Level {
  return {
    title: t('Search Offers: {0}', t('Saved and Recent Searches')),
    placeholder: t('Which one?'),
    line: () => '',
    rows: () =>
      deps.saved.list().flatMap(({ name }) => [
        {
          id: `rename:${name}`,
          icon: 'edit',
          label: t('Rename {0}', plainLabel(name)),
          run: () => picker.push(renameLevel(picker, name, deps)),
        },
        {
          id: `delete:${name}`,
          icon: 'trash',
          label: t('Delete “{0}”', plainLabel(name)),
          run: () => void deps.saved.remove(name).then(() => picker.pop(), deps.report),
        },
      ]),
  };
}

function watchRows(picker: QuickInput, { tools }: SavedDeps): readonly LevelRow[] {
  return [
    {
      id: 'watch',
      icon: 'eye',
      label: t('Watch This Search…'),
      detail: t('Notifies you when an offer is cheap enough'),
      run: () => tools.watch(picker),
    },
    ...(tools.watched === 0
      ? []
      : [
          {
            id: 'watched',
            icon: 'list-unordered',
            label: labelOf('gpuRental.manageWatches'),
            description: String(tools.watched),
            run: () => tools.manageWatches(picker),
          },
        ]),
  ];
}

function saveLevel(picker: QuickInput, deps: SavedDeps): Level {
  return nameLevel(picker, deps, {
    title: t('Search Offers: {0}', t('Save')),
    placeholder: t('A name to recognize it by'),
    label: (name) => t('Save as “{0}”', name),
    accept: (name) => deps.saved.save(name, deps.current()),
  });
}

function renameLevel(picker: QuickInput, old: string, deps: SavedDeps): Level {
  return nameLevel(picker, deps, {
    title: t('Search Offers: {0}', plainLabel(old)),
    placeholder: t('A name to recognize it by'),
    label: (name) => t('Rename to “{0}”', name),
    accept: (name) => deps.saved.rename(old, name),
  });
}

interface Naming {
  readonly title: string;
  readonly placeholder: string;
  readonly label: (name: string) => string;
  readonly accept: (name: string) => Promise<void>;
}

function nameLevel(picker: QuickInput, deps: SavedDeps, naming: Naming): Level {
  const names = deps.saved.list().map(({ name }) => name);
  return {
    title: naming.title,
    placeholder: naming.placeholder,
    followsTyping: true,
    rows: (typed) => {
      const name = typed.trim().slice(0, 80);
      if (name === '') {
        return [{ label: t('Enter a name.'), alwaysShow: true }];
      }
      return [
        {
          id: 'name',
          label: names.includes(name)
            ? t('Replace the Saved Search “{0}”', plainLabel(name))
            : naming.label(plainLabel(name)),
          alwaysShow: true,
          run: () => {
            naming.accept(name).then(() => picker.pop(), deps.report);
          },
        },
      ];
    },
  };
}
