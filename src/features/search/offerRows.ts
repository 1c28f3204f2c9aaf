import * as vscode from 'vscode';
import { localize, reasonOf, t } from '../../editor/localize';
import type { LevelButton, LevelRow } from '../../editor/quickLevels';
import { describeFilters, sortText } from '../../model/offers/filterText';
import type { MarketQuery } from '../../model/offers/marketQuery';
import type { Offer } from '../../model/offers/offer';
import { defaultFilters, type Filters } from '../../model/offers/searchFields';
import type { Unread } from '../../model/offers/typedQuery';
import { machineName } from '../../model/rentals/rentFacts';
import type { FailedMachine } from '../../store/rentals/failedMachines';
import { needsCode } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { offerPrefix } from './offerPlace';
import { failedMachineText } from './offerTools';
import type { OffersView } from './offersView';
import { rowFacts, type OfferTexts } from './rowFacts';

/** The actions of the rows in the list of offers. */
export interface OfferActions {
  choose(offer: Offer): void;
  openFilters(): void;
  /** Searches machines with any number of GPUs. Undefined if no number was chosen, or if one is typed. */
  readonly showLarger: (() => void) | undefined;
  retry(): void;
  more(): void;
  /** Buttons at the end of an offer's row. */
  buttons(offer: Offer): readonly LevelButton[];
  /** When and why the offer's machine failed to get ready. */
  failure(offer: Offer): FailedMachine | undefined;
  /** Why the machine may not fit the chosen image or template. */
  misfit(offer: Offer): string | undefined;
  /** The row above the offers. */
  pinned(): LevelRow | undefined;
  /** The number of offers that have rows; others get theirs when the active row comes near. */
  readonly shown: number;
  showRest(): void;
}

export function offerId(offer: Offer): string {
  return `${offerPrefix}${offer.id}`;
}

/** Returns the row of one offer, with what is wrong with it before its other facts. */
function offerRow({ offer, description, detail }: OfferTexts, actions: OfferActions): LevelRow {
  const failure = actions.failure(offer);
  const misfit = actions.misfit(offer);
  const marked = [
    ...(failure ? [failedMachineText(failure)] : []),
    ...(misfit === undefined ? [] : [misfit]),
  ];
  return {
    id: offerId(offer),
    label: plainLabel(machineName(offer)),
    description,
    detailIcon: marked.length === 0 ? undefined : 'warning',
    detail: [...marked, ...detail].join(' · '),
    alwaysShow: true,
    buttons: actions.buttons(offer),
    run: () => actions.choose(offer),
  };
}

/** Returns the filters that differ from the defaults of every search. */
function unusualFilters(filters: Filters): Filters {
  const usual: readonly (readonly [string, unknown])[] = Object.entries(defaultFilters);
  return Object.fromEntries(
    Object.entries(filters).filter(
      ([key, value]) => !usual.some(([name, same]) => name === key && same === value),
    ),
  );
}

function filterSummary(query: MarketQuery, words: readonly string[]): string {
  const parts = [
    ...describeFilters(unusualFilters(query.filters)).map(localize),
    ...(query.rentalType === 'interruptible' ? [t('Interruptible')] : []),
    ...words.map((word) => t('with “{0}” in the row', plainLabel(word))),
  ];
  return parts.length === 0 ? t('none, press / to choose') : parts.join(' · ');
}

/** Returns all rows of the list for the current view. */
export function offerRows(
  view: OffersView,
  query: MarketQuery,
  actions: OfferActions,
  now: number,
): readonly LevelRow[] {
  // A heading shares the line of its row and would hide part of an offer, so it is above the shorter row of filters.
  const { common, rows: texts } = rowFacts(view.rows.slice(0, actions.shown), query);
  const rows: LevelRow[] = [
    ...(view.rows.length > 0 ? [heading(headline(view, query))] : []),
    {
      id: 'filters',
      icon: 'filter',
      label: t('Filters'),
      description: filterSummary(query, view.words),
      ...(common.length === 0 ? {} : { detail: t('All: {0}', common.join(' · ')) }),
      alwaysShow: true,
      run: () => actions.openFilters(),
    },
  ];
  const { unread = [] } = view;
  if (unread.length > 0) {
    rows.push(unusedRow(unread, actions));
  }
  const { showLarger } = actions;
  if (showLarger) {
    rows.push({
      id: 'larger',
      icon: 'add',
      label: t('Show Larger Machines Too'),
      alwaysShow: true,
      run: showLarger,
    });
  }
  const pinned = actions.pinned();
  if (pinned) {
    rows.push(pinned);
  }
  if (view.error !== undefined && !view.busy) {
    rows.push(errorRow(view, actions, now));
  }
  if (view.waitsUntil !== undefined) {
    const seconds = Math.max(1, Math.ceil((view.waitsUntil - now) / 1000));
    rows.push(
      note(
        'waits',
        t('Searching in about {0} s', seconds),
        t('The service allows only a few searches per minute.'),
      ),
    );
  }
  if (view.rows.length > 0) {
    rows.push(heading(''));
    rows.push(...shownRows(texts, actions));
    rows.push(...endRows(view, actions));
  } else if (view.busy || (!view.loaded && view.error === undefined)) {
    rows.push(note('busy', t('Searching…')));
  } else if (view.loaded && view.more !== 'none') {
    rows.push(...noneReadRows(view, actions));
  } else if (view.loaded) {
    rows.push({
      id: 'empty',
      label: t('No offers match'),
      detail: t('Remove a filter or raise a limit. Press Enter to see the filters.'),
      alwaysShow: true,
      run: () => actions.openFilters(),
    });
  }
  return view.skipped === 0 ? rows : [...rows, unreadRow(view.skipped)];
}

/** Returns the row that names the typed comparisons that filter nothing. */
function unusedRow(unread: readonly Unread[], actions: OfferActions): LevelRow {
  return {
    id: 'unused',
    icon: 'warning',
    label: t('Not used: {0}', unread.map(({ source }) => plainLabel(source)).join(' · ')),
    detail: unread.map(({ reason }) => localize(reason)).join(' '),
    alwaysShow: true,
    run: () => actions.openFilters(),
  };
}

function unreadRow(skipped: number): LevelRow {
  const label = t('Could not be read and are left out: {0}. The log names the field.', skipped);
  return { ...note('unread', label), icon: 'warning' };
}

/** Returns the rows of the offers, with those on machines that failed before under a heading at the end. */
function shownRows(texts: readonly OfferTexts[], actions: OfferActions): readonly LevelRow[] {
  const rows: LevelRow[] = texts.map((text) => offerRow(text, actions));
  const firstFailed = texts.findIndex(({ offer }) => actions.failure(offer) !== undefined);
  if (firstFailed >= 0) {
    rows.splice(firstFailed, 0, heading(t('Failed before')));
  }
  return rows;
}

function heading(label: string): LevelRow {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

function note(id: string, label: string, detail?: string): LevelRow {
  return { id, label, alwaysShow: true, ...(detail === undefined ? {} : { detail }) };
}

function errorRow(view: OffersView, actions: OfferActions, now: number): LevelRow {
  const reason = reasonOf(view.error) ?? t('Something unexpected happened. See the log for details.');
  const minutes = view.readAt === undefined ? 0 : Math.floor((now - view.readAt) / 60_000);
  const age =
    view.readAt === undefined
      ? ''
      : minutes === 0
        ? t('The offers below are from less than a minute ago.')
        : t('The offers below are from {0} min ago.', minutes);
  return {
    id: 'error',
    icon: 'error',
    label: needsCode(view.error)
      ? t('The search failed. Choose this row to enter a code.')
      : t('The search failed. Choose this row to try again.'),
    detail: `${reason} ${age}`.trim(),
    alwaysShow: true,
    run: () => actions.retry(),
  };
}

/** Returns the number of offers. The service sends only part of a large market, and the text then shows that. */
export function countText({ rows: { length }, read, more, isPartial, skipped }: OffersView): string {
  if (isPartial) {
    return t('{0} of the {1} offers read so far', length, read);
  }
  return more !== 'none'
    ? t('{0} of many: narrow the search', length)
    : `${skipped > 0 ? '≥ ' : ''}${offersText(length)}`;
}

function offersText(count: number): string {
  return count === 1 ? t('1 offer') : t('{0} offers', count);
}

/** Returns a short headline, because it shares the line of the filters. */
function headline(view: OffersView, query: MarketQuery): string {
  const count = countText(view);
  const order = localize(sortText(query.sort));
  const isSaid = view.orderedHere && !view.isPartial;
  return `${count} · ${isSaid ? t('{0}, among the offers read', order) : order}`;
}

function endRows(view: OffersView, actions: OfferActions): readonly LevelRow[] {
  if (view.rows.length > actions.shown) {
    return [
      {
        id: 'rest',
        icon: 'ellipsis',
        label: t('Show More Offers'),
        description: t('First {0} of {1} shown', actions.shown, view.rows.length),
        alwaysShow: true,
        run: () => actions.showRest(),
      },
    ];
  }
  if (view.more === 'none') {
    return [];
  }
  const shown = t('First {0} shown', view.rows.length);
  return view.more === 'fetchable' ? [moreRow(actions, shown)] : [note('first', shown, noMoreText())];
}

/** Returns the rows for when no offer that was sent matches, but the service has others. */
function noneReadRows(view: OffersView, actions: OfferActions): readonly LevelRow[] {
  const none = t('None of the {0} offers read so far match', view.read);
  return view.more === 'fetchable'
    ? [note('noneRead', none), moreRow(actions, '')]
    : [note('noneRead', none, noMoreText())];
}

function moreRow(actions: OfferActions, description: string): LevelRow {
  return {
    id: 'more',
    icon: 'ellipsis',
    label: t('Show More Offers'),
    description,
    alwaysShow: true,
    run: () => actions.more(),
  };
}

function noMoreText(): string {
  return t('The service sends no more offers in this order. Filter, or sort by price to see the rest.');
}
