import * as vscode from 'vscode';
import { runCommand } from '../../editor/commands';
import { localize, reasonOf, t } from '../../editor/localize';
import { QuickInput } from '../../editor/quickInput';
import type { Level, LevelRow, TextLevel } from '../../editor/quickLevels';
import { labelOf, titleOf } from '../../editor/titles';
import { formatMoney, fromDollars, toDollars } from '../../model/money';
import { readPriceLimit, watchedSearch, type SearchWatch } from '../../model/offers/searchWatch';
import type { WatchRow } from '../../store/offers/searchWatches';
import { durationText } from '../../util/duration';
import { plainLabel } from '../../util/plainLabel';
import type { WatchDeps } from './deps';
import { nameOfQuery, nameQuestion, priceQuestion } from './watchSearch';

/** Shows the watched searches and the actions for each. */
export async function manageWatches(deps: WatchDeps): Promise<void> {
  await deps.searchWatches.ready;
  const picker = new QuickInput();
  const level = listLevel(deps, picker);
  const listening = deps.searchWatches.onDidChange(() => {
    picker.refresh();
  });
  await picker.open(level);
  listening.dispose();
}

function listLevel(deps: WatchDeps, picker: QuickInput): Level {
  return {
    title: titleOf('gpuRental.manageWatches'),
    placeholder: t('Which one?'),
    // The typed text found a row. After its action, show all rows again.
    line: () => '',
    rows: () => {
      const { rows, error } = deps.searchWatches;
      return [
        ...(error === undefined ? [] : [unreadable(error)]),
        ...rows.map((row) => watchRow(deps, picker, row)),
        {
          id: 'add',
          icon: 'add',
          label: labelOf('gpuRental.watchSearch'),
          ...(rows.length === 0 && error === undefined
            ? {
                detail: t(
                  'No watched searches. A watched search notifies you when an offer is cheap enough.',
                ),
              }
            : {}),
          alwaysShow: true,
          run: () => {
            picker.close();
            void runCommand('gpuRental.watchSearch');
          },
        },
      ];
    },
  };
}

function unreadable(error: unknown): LevelRow {
  return {
    id: 'error',
    icon: 'error',
    label: t('Could not read the list'),
    detail: reasonOf(error) ?? t('Something unexpected happened. See the log for details.'),
    alwaysShow: true,
  };
}

function watchRow(deps: WatchDeps, picker: QuickInput, row: WatchRow): LevelRow {
  const { watch } = row;
  return {
    id: watch.id,
    label: plainLabel(watch.name),
    description: `${t('up to {0}/h', formatMoney(watch.maxPerHour))} · ${matchText(row)}`,
    detail: stateText(row, deps.clock.now()),
    buttons: [
      {
        iconPath: new vscode.ThemeIcon('search'),
        tooltip: t('Show Offers'),
        run: () => {
          picker.close();
          showOffers(watch);
        },
      },
      {
        iconPath: new vscode.ThemeIcon('trash'),
        tooltip: t('Stop Watching'),
        run: () => stopWatching(deps, watch.id),
      },
    ],
    run: () => picker.push(watchLevel(deps, picker, watch.id)),
  };
}

function matchText({ state }: WatchRow): string {
  const now = state.matches.filter(({ lastSeenAt }) => lastSeenAt === state.checkedAt).length;
  return state.checkedAt === undefined
    ? t('not checked yet')
    : now === 0
      ? t('none right now')
      : now === 1
        ? t('1 offer')
        : t('{0} offers', now);
}

/** Returns the state of a watch. A failed check shows its error, with the age of the last result. */
function stateText({ watch, state, isChecking }: WatchRow, now: number): string {
  const age = (at: number) => localize(durationText(now - at));
  const checked = state.checkedAt === undefined ? undefined : t('checked {0} ago', age(state.checkedAt));
  if (isChecking) {
    return t('checking…');
  }
  if (state.error) {
    const failed = t(
      'The check {0} ago failed: {1}',
      age(state.error.at),
      plainLabel(localize(state.error.text)),
    );
    return checked === undefined ? failed : `${failed} · ${checked}`;
  }
  return [checked, nameOfQuery(watch.query)].filter((part) => part !== undefined).join(' · ');
}

/** Returns the level with all actions of a watch, for keyboard users. */
function watchLevel(deps: WatchDeps, picker: QuickInput, id: string): Level {
  const { searchWatches } = deps;
  const find = () => searchWatches.rows.find(({ watch }) => watch.id === id);
  const row = (key: string, icon: string, label: string, run: (watch: SearchWatch) => void): LevelRow => ({
    id: key,
    icon,
    label,
    run: () => {
      const found = find();
      if (found) {
        run(found.watch);
      }
    },
  });
  /** Asks for a text, changes the watch by it, then returns to the list. */
  const ask = (
    title: string,
    { value, ...question }: Pick<TextLevel, 'prompt' | 'problem'> & { readonly value: string },
    changeOf: (typed: string) => Parameters<typeof searchWatches.change>[1],
  ) =>
    picker.push({
      title,
      ...question,
      line: () => value,
      accept: async (typed) => {
        await searchWatches.change(id, changeOf(typed));
        picker.pop();
        picker.pop();
      },
    });
  const name = find()?.watch.name ?? '';
  return {
    title: t('Watched Search: {0}', plainLabel(name)),
    placeholder: t('What do you want to do?'),
    rows: () => [
      row('show', 'search', t('Show Offers'), (watch) => {
        picker.close();
        showOffers(watch);
      }),
      row('check', 'refresh', t('Check Again'), () => {
        searchWatches.checkNow(id).catch((error: unknown) => {
          deps.report.error(error);
        });
        picker.pop();
      }),
      row('price', 'tag', t('Change the Price…'), ({ maxPerHour }) =>
        ask(
          t('{0}: {1}', titleOf('gpuRental.watchSearch'), t('Price')),
          priceQuestion(String(toDollars(maxPerHour))),
          (typed) => ({
            maxPerHour: fromDollars(readPriceLimit(typed) ?? 0),
          }),
        ),
      ),
      row('rename', 'edit', t('Rename…'), (watch) =>
        ask(
          t('{0}: {1}', titleOf('gpuRental.watchSearch'), t('Name')),
          nameQuestion(watch.name),
          (typed) => ({ name: typed.trim() }),
        ),
      ),
      row('stop', 'trash', t('Stop Watching'), () => {
        stopWatching(deps, id);
        picker.pop();
      }),
    ],
  };
}

function stopWatching({ searchWatches, report }: WatchDeps, id: string): void {
  searchWatches.remove(id).catch((error: unknown) => {
    report.error(error);
  });
}

/** Opens the list of matching offers, cheapest first. */
export function showOffers(watch: SearchWatch): void {
  void runCommand('gpuRental.searchFor', {
    title: t('Search Offers: {0}', plainLabel(watch.name)),
    query: watchedSearch(watch),
  });
}
