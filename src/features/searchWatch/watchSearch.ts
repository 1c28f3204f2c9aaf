import * as vscode from 'vscode';
import * as z from 'zod';
import { commandAction } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { askText, pickFromList, type Row } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import { formatMoney, fromDollars, type Micros } from '../../model/money';
import { describeQuery } from '../../model/offers/filterText';
import { withFilter, type MarketQuery } from '../../model/offers/marketQuery';
import { defaultQuery, readQuery, readSavedSearches, searchKey } from '../../model/offers/savedSearches';
import { readPriceLimit } from '../../model/offers/searchWatch';
import { accountFor } from '../../store/accounts/sameAccount';
import { RecentSearches } from '../../store/offers/recentSearches';
import { UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import type { WatchDeps } from './deps';

/** The search to watch, before its price limit is chosen. */
interface Subject {
  readonly query: MarketQuery;
  readonly name?: string | undefined;
}

const request = z.object({
  query: z.unknown(),
  name: z.string().max(200).optional(),
});

/** Asks for a price limit and a name, then watches the search. */
export async function watchSearch(deps: WatchDeps, given: unknown): Promise<void> {
  const asked = accountFor(deps.accounts);
  const subject = given === undefined ? await chooseSearch(deps) : readSubject(given);
  const chosen = subject && (await askForWatch(subject));
  if (!subject || !chosen) {
    return;
  }
  asked();
  await deps.searchWatches.add({ ...chosen, query: subject.query });
  message(
    'info',
    t(
      'Watching “{0}”. A message appears when an offer costs {1}/h or less, as long as an editor is open.',
      plainLabel(chosen.name),
      formatMoney(chosen.maxPerHour),
    ),
    commandAction(titleOf('gpuRental.manageWatches'), 'gpuRental.manageWatches'),
  );
}

/** Throws if another extension or an outdated row passes no valid search. */
function readSubject(given: unknown): Subject {
  const { query: stored, name } = request.safeParse(given).data ?? {};
  const query = readQuery(stored);
  if (!query) {
    throw new UserError(text('Could not read this search. Search again and watch it from there.'));
  }
  return { query, name };
}

/** Lets the user pick the last search, a saved one or a recent one. */
async function chooseSearch({ globalState, settings }: WatchDeps): Promise<Subject | undefined> {
  const memory = new RecentSearches(globalState);
  const saved = readSavedSearches(settings.get('gpuRental.search.saved'));
  const separator = (label: string): Row<Subject> => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const last = memory.last ?? defaultQuery;
  const recent = memory.recent.filter((query) => searchKey(query) !== searchKey(last));
  const answer = await pickFromList<Subject>({
    title: titleOf('gpuRental.watchSearch'),
    placeholder: t('Which one?'),
    rows: [
      {
        id: 'last',
        label: t('The Last Search'),
        detail: describe(last),
        value: { query: last },
      },
      ...(saved.length === 0 ? [] : [separator(t('Saved'))]),
      ...saved.map(({ name, query }) => ({
        id: `saved:${name}`,
        label: plainLabel(name),
        detail: describe(query),
        value: { query, name },
      })),
      ...(recent.length === 0 ? [] : [separator(t('Recent'))]),
      ...recent.map((query) => ({ id: searchKey(query), label: describe(query), value: { query } })),
    ],
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}

function describe(query: MarketQuery): string {
  return describeQuery(query).map(localize).join(' · ');
}

async function askForWatch(
  subject: Subject,
): Promise<{ readonly name: string; readonly maxPerHour: Micros } | undefined> {
  const given = subject.query.filters.pricePerHour?.max;
  let typed = given === undefined ? '' : String(given);
  for (;;) {
    const price = await askText({
      title: t('{0}: {1}', titleOf('gpuRental.watchSearch'), t('Price')),
      step: 1,
      totalSteps: 2,
      ...priceQuestion(typed),
    });
    if (price.kind !== 'picked') {
      return undefined;
    }
    typed = price.value;
    const name = await askText({
      title: t('{0}: {1}', titleOf('gpuRental.watchSearch'), t('Name')),
      step: 2,
      totalSteps: 2,
      canGoBack: true,
      ...nameQuestion((subject.name ?? nameOfQuery(subject.query)).slice(0, 80)),
    });
    if (name.kind === 'picked') {
      return { name: name.value.trim(), maxPerHour: fromDollars(readPriceLimit(typed) ?? 0) };
    }
    if (name.kind !== 'back') {
      return undefined;
    }
  }
}

/** Returns the question for the price limit of a new or an existing watch. */
export function priceQuestion(value: string) {
  return {
    prompt: t('Notify me when an offer costs at most this many dollars per hour, including storage'),
    placeholder: '0.40',
    value,
    problem: (typed: string) =>
      readPriceLimit(typed) === undefined ? t('Enter a price per hour in dollars, such as 0.25.') : undefined,
  };
}

export function nameQuestion(value: string) {
  return { prompt: t('A name to recognize it by'), value, problem: nameProblem };
}

function nameProblem(typed: string): string | undefined {
  const name = typed.trim();
  return name === '' ? t('Enter a name.') : name.length > 80 ? t('At most {0} characters.', 80) : undefined;
}

/** Returns a name for the query, without its order and price. */
export function nameOfQuery(query: MarketQuery): string {
  const described = describeQuery({
    ...query,
    filters: withFilter(query.filters, 'pricePerHour', undefined),
  });
  return described.slice(0, -1).map(localize).join(' · ') || t('Any offer');
}
