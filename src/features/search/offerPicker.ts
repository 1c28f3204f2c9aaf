import * as vscode from 'vscode';
import { runCommand } from '../../editor/commands';
import { copyLink } from '../../editor/copyLink';
import { t } from '../../editor/localize';
import { QuickInput } from '../../editor/quickInput';
import type { Level, LevelButton, LevelRow } from '../../editor/quickLevels';
import { withFilter, type MarketQuery } from '../../model/offers/marketQuery';
import type { Offer } from '../../model/offers/offer';
import type { Clock } from '../../util/clock';
import { DisposableStore } from '../../util/disposable';
import { needsCode } from '../../util/errors';
import type { QueryEditor } from './fieldLevels';
import { filtersLevel, sortLevel } from './filterLevels';
import { offerPrefix, OfferPlace } from './offerPlace';
import { countText, offerId, offerRows, type OfferActions } from './offerRows';
import type { OfferSession } from './offerSession';
import { failureOf, type ListTools } from './offerTools';
import { savedLevel, type SavedSearches } from './savedLevel';

export interface Picked {
  readonly offer: Offer;
  readonly query: MarketQuery;
}

export interface OfferPickerDeps {
  readonly session: OfferSession;
  readonly clock: Clock;
  readonly saved: SavedSearches;
  readonly recent: readonly MarketQuery[];
  readonly title: string;
  /** The offer that is active when the list opens again. */
  readonly activeOfferId?: number | undefined;
  readonly report: (error: unknown) => void;
  readonly tools: ListTools;
}

/** The number of rows created at a time; thousands would block the editor. */
const rowsAtATime = 100;
/** Rows are added when the active row is this close to the last one. */
const rowsAhead = 20;

/** Shows the list of offers, with filters, order and saved searches as deeper levels. Returns `undefined` on Escape. */
export async function pickOffer(deps: OfferPickerDeps): Promise<Picked | undefined> {
  return new OfferPicker(deps).pick();
}

class OfferPicker {
  private readonly picker = new QuickInput();
  private readonly level: Level;
  private filters: Level | undefined;
  private readonly editor: QueryEditor;
  private picked: Picked | undefined;
  private readonly place: OfferPlace;
  private shown = rowsAtATime;

  constructor(private readonly deps: OfferPickerDeps) {
    const { session } = deps;
    this.place = new OfferPlace(
      deps.activeOfferId === undefined ? undefined : `${offerPrefix}${deps.activeOfferId}`,
    );
    const index = session.view.rows.findIndex(({ id }) => id === deps.activeOfferId);
    this.shown = Math.max(rowsAtATime, index + 2 * rowsAhead);
    this.editor = {
      get query() {
        return session.chosenQuery;
      },
      get gpuNames() {
        return session.gpuNames;
      },
      get count() {
        const { view } = session;
        return view.busy ? t('Searching…') : countText(view);
      },
      set: (query) => {
        session.setQuery(query);
      },
    };
    this.level = this.offersLevel();
  }

  async pick(): Promise<Picked | undefined> {
    const { session, tools } = this.deps;
    const listening = new DisposableStore();
    const refresh = () => {
      if ([this.level, this.filters].some((level) => level && this.picker.isTop(level))) {
        this.picker.refresh();
      }
    };
    listening.add(session.onDidChange(refresh));
    listening.add(tools.onDidChange(refresh));
    if (!session.view.loaded && !session.view.busy) {
      session.start();
    }
    const closed = this.picker.open(this.level);
    // The first search may have started by now.
    refresh();
    await closed;
    listening.dispose();
    return this.picked;
  }

  private actions(): OfferActions {
    const { session, tools } = this.deps;
    const shown = () => this.shown;
    return {
      choose: (offer) => {
        this.picked = { offer, query: session.effectiveQuery };
        this.picker.close();
      },
      openFilters: () => this.openFilters(),
      get showLarger() {
        const { chosenQuery: query, effectiveQuery } = session;
        const { gpuCount } = query.filters;
        return gpuCount?.max === undefined || effectiveQuery.filters.gpuCount !== gpuCount
          ? undefined
          : () => {
              session.setQuery({ ...query, filters: withFilter(query.filters, 'gpuCount', undefined) });
            };
      },
      retry: () => void this.retry(),
      more: () => void session.more(),
      buttons: (offer) => tools.buttons(offer),
      failure: (offer) => failureOf(session, offer),
      misfit: (offer) => tools.misfit(offer),
      pinned: () => tools.pinnedRow(this.picker),
      get shown() {
        return shown();
      },
      showRest: () => {
        this.showMore();
      },
    };
  }

  private async retry(): Promise<void> {
    const { session } = this.deps;
    if (needsCode(session.view.error)) {
      await runCommand('gpuRental.tfa.signIn');
    }
    session.refresh();
  }

  private offersLevel(): Level {
    const { deps } = this;
    const { session } = deps;
    const actions = this.actions();
    return {
      title: deps.title,
      placeholder: t('Type to filter, such as 4090 x2 <0.8 eu ≥24gb. Press / for all filters.'),
      line: () => session.line,
      busy: () => session.view.busy,
      buttons: this.buttons(),
      rows: () => {
        const rows = offerRows(session.view, session.effectiveQuery, actions, deps.clock.now());
        this.place.made(
          rows.map(({ id }) => id),
          this.firstId(),
        );
        return rows;
      },
      ownPlace: () => this.place.active,
      active: (row) => {
        // The editor activates the first row briefly whenever rows are set; the user did not choose it.
        if (row.id !== 'filters') {
          this.place.moved(row.id);
          this.makeRoomFor(row.id);
        }
      },
      typed: (value) => {
        if (value.startsWith('/')) {
          this.openFilters();
          return;
        }
        if (value !== session.line) {
          this.place.reset();
          this.shown = rowsAtATime;
        }
        session.setTyped(value);
      },
    };
  }

  private firstId(): string | undefined {
    const [first] = this.deps.session.view.rows;
    return first && offerId(first);
  }

  /** Adds rows once the active row comes near the last one. */
  private makeRoomFor(id: string | undefined): void {
    const { rows } = this.deps.session.view;
    const isNearEnd = rows
      .slice(Math.max(0, this.shown - rowsAhead), this.shown)
      .some((offer) => offerId(offer) === id);
    if (isNearEnd && this.shown < rows.length) {
      this.showMore();
    }
  }

  private showMore(): void {
    this.shown += rowsAtATime;
    this.picker.refresh();
  }

  private openFilters(): void {
    const { picker, editor } = this;
    this.deps.session.absorbTyped();
    this.filters = filtersLevel(picker, editor, () => this.menuRows());
    picker.push(this.filters);
  }

  private openSaved(): void {
    const { picker, editor } = this;
    const { saved, recent, report, session, tools } = this.deps;
    session.absorbTyped();
    const current = () => session.effectiveQuery;
    picker.push(savedLevel(picker, editor, { saved, recent, report, current, tools }));
  }

  /** Returns the title's buttons as rows, for keyboard users. */
  private menuRows(): readonly LevelRow[] {
    const row = (id: string, icon: string, label: string, run: () => void): LevelRow => ({
      id,
      icon,
      label,
      run,
    });
    const { session, tools } = this.deps;
    const active = session.view.rows.find((offer) => offerId(offer) === this.place.active);
    return [
      row('saved', 'bookmark', t('Saved and Recent Searches'), () => this.openSaved()),
      row('market', 'graph-scatter', t('GPU Market'), () => tools.showOnMarket(this.picker)),
      row('watch', 'eye', t('Watch This Search…'), () => tools.watch(this.picker)),
      ...(active
        ? [
            row('link', 'link', t('Copy Link to Offer #{0}', active.id), () => {
              void copyLink({ kind: 'offer', id: active.id });
              this.picker.pop();
            }),
          ]
        : []),
    ];
  }

  private buttons(): readonly LevelButton[] {
    const { deps, picker, editor } = this;
    const button = (icon: string, tooltip: string, run: () => void): LevelButton => ({
      iconPath: new vscode.ThemeIcon(icon),
      tooltip,
      run,
    });
    return [
      button('filter', t('Filters'), () => {
        this.openFilters();
      }),
      button('sort-precedence', t('Sort'), () => {
        picker.push(sortLevel(picker, editor));
      }),
      button('bookmark', t('Saved and Recent Searches'), () => {
        this.openSaved();
      }),
      button('graph-scatter', t('GPU Market'), () => {
        deps.tools.showOnMarket(picker);
      }),
      button('eye', t('Watch This Search…'), () => {
        deps.tools.watch(picker);
      }),
      button('refresh', t('Search Again'), () => {
        deps.session.refresh();
      }),
    ];
  }
}
