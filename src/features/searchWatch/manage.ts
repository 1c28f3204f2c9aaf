import * as vscode from 'vscode';
import { runCommand } from '../../editor/commands';
import { LevelPicker, type Level, type LevelRow } from '../../editor/levelPicker';
import { localize, t } from '../../editor/localize';
import { askText, plainLabel } from '../../editor/quickPick';
import { formatMoney, fromDollars, toDollars } from '../../model/money';
import { readPriceLimit, watchedSearch, type SearchWatch } from '../../model/offers/searchWatch';
import type { WatchRow } from '../../store/offers/searchWatches';
import { durationText } from '../../util/duration';
import { UserError } from '../../util/errors';
import type { WatchDeps } from './deps';
import { nameOfQuery, nameProblem, priceQuestion } from './watchSearch';

/** The list of watched searches, with what can be done with each. */
export async function manageWatches(deps: WatchDeps): Promise<void> {
  await deps.searchWatches.ready;
  const picker = new LevelPicker();
  const level = listLevel(deps, picker);
  const listening = deps.searchWatches.onDidChange(() => {
    picker.refresh();
  });
  await picker.open(level);
  listening.dispose();
}

function listLevel(deps: WatchDeps, picker: LevelPicker): Level {
  return {
    title: t('Watched Searches'),
    placeholder: t('Which search?'),
    // What was typed found a row; after its action all show again.
    line: () => '',
    rows: () => {
      const { rows, error } = deps.searchWatches;
      return [
        ...(error === undefined ? [] : [unreadable(error)]),
        ...rows.map((row) => watchRow(deps, picker, row)),
        {
          id: 'add',
          icon: 'add',
          label: t('Watch a Search…'),
          ...(rows.length === 0 && error === undefined
            ? {
                detail: t(
                  'No search is watched. A watched search notifies you when an offer is cheap enough.',
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
    label: t('The watched searches could not be read.'),
    detail:
      error instanceof UserError
        ? localize(error.text)
        : t('Something unexpected happened. The log has the details.'),
    alwaysShow: true,
  };
}

function watchRow(deps: WatchDeps, picker: LevelPicker, row: WatchRow): LevelRow {
  const { watch } = row;
  const show: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('search'),
    tooltip: t('Show Offers'),
  };
  const stop: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon('trash'),
    tooltip: t('Stop Watching'),
  };
  return {
    id: watch.id,
    label: plainLabel(watch.name),
    description: `${t('up to {0}/h', formatMoney(watch.maxPerHour))} · ${matchText(row)}`,
    detail: stateText(row, deps.clock.now()),
    buttons: [show, stop],
    run: () => picker.push(watchLevel(deps, picker, watch.id)),
    onButton: (button) => {
      if (button === stop) {
        stopWatching(deps, watch.id);
      } else {
        picker.close();
        showOffers(watch);
      }
    },
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

/** An error is said in its place, with the age of what is shown beside it. */
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

/** All that the buttons do, and more, for the keyboard. */
function watchLevel(deps: WatchDeps, picker: LevelPicker, id: string): Level {
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
  const leave = (then: () => Promise<void> | void) => {
    picker.close();
    Promise.resolve(then()).catch((error: unknown) => {
      deps.report.error(error);
    });
  };
  const name = find()?.watch.name ?? '';
  return {
    title: t('Watched Search: {0}', plainLabel(name)),
    placeholder: t('What do you want to do?'),
    rows: () => [
      row('show', 'search', t('Show Offers'), (watch) => leave(() => showOffers(watch))),
      row('check', 'refresh', t('Check Now'), () => {
        searchWatches.checkNow(id).catch((error: unknown) => {
          deps.report.error(error);
        });
        picker.pop();
      }),
      row('price', 'tag', t('Change the Price…'), (watch) => leave(() => changePrice(deps, watch))),
      row('rename', 'edit', t('Rename…'), (watch) => leave(() => rename(deps, watch))),
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

async function changePrice(deps: WatchDeps, watch: SearchWatch): Promise<void> {
  const answer = await askText({
    title: t('Watched Search: Price'),
    ...priceQuestion(String(toDollars(watch.maxPerHour))),
  });
  const dollars = answer.kind === 'picked' ? readPriceLimit(answer.value) : undefined;
  if (dollars !== undefined) {
    await deps.searchWatches.change(watch.id, { maxPerHour: fromDollars(dollars) });
  }
  await manageWatches(deps);
}

async function rename(deps: WatchDeps, watch: SearchWatch): Promise<void> {
  const answer = await askText({
    title: t('Watched Search: Name'),
    prompt: t('A name by which you know it again'),
    value: watch.name,
    problem: nameProblem,
  });
  if (answer.kind === 'picked') {
    await deps.searchWatches.change(watch.id, { name: answer.value.trim() });
  }
  await manageWatches(deps);
}

/** The offers that match, cheapest first. */
export function showOffers(watch: SearchWatch): void {
  void runCommand('gpuRental.searchFor', {
    title: t('Search Offers: {0}', plainLabel(watch.name)),
    query: watchedSearch(watch),
  });
}
