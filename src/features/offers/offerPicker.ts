import * as vscode from 'vscode';
import { LevelPicker, type Level, type LevelButton } from '../../editor/levelPicker';
import type { MarketQuery } from '../../model/marketQuery';
import type { Offer } from '../../model/offer';
import type { Clock } from '../../util/clock';
import { filtersLevel, sortLevel, type QueryEditor } from './filterLevels';
import { offerId, offerRows, type OfferActions } from './offerRows';
import type { OfferSession } from './offerSession';
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
  /** The offer to come back to. */
  readonly activeOfferId?: number;
  readonly report: (error: unknown) => void;
  readonly rowButtons?: (offer: Offer) => readonly (vscode.QuickInputButton & { readonly run: () => void })[];
  readonly extraButtons?: readonly LevelButton[];
}

/** The list of offers, with filters, order and saved searches as deeper levels; `undefined` on Escape. */
export async function pickOffer(deps: OfferPickerDeps): Promise<Picked | undefined> {
  return new OfferPicker(deps).pick();
}

class OfferPicker {
  private readonly picker = new LevelPicker();
  private readonly level: Level;
  private readonly editor: QueryEditor;
  private picked: Picked | undefined;
  /** The row that the list moves to: the first offer, until the user moves to another. */
  private place: string | undefined;

  constructor(private readonly deps: OfferPickerDeps) {
    const { session } = deps;
    this.place = deps.activeOfferId === undefined ? undefined : `offer:${deps.activeOfferId}`;
    this.editor = {
      get query() {
        return session.chosenQuery;
      },
      get gpuNames() {
        return session.gpuNames;
      },
      get count() {
        const { rows, busy } = session.view;
        return busy ? vscode.l10n.t('searching…') : vscode.l10n.t('{0} offers', rows.length);
      },
      set: (query) => {
        session.setQuery(query);
      },
    };
    this.level = this.offersLevel();
  }

  async pick(): Promise<Picked | undefined> {
    const { session } = this.deps;
    const listening = session.onDidChange(({ busy }) => {
      if (this.picker.isTop(this.level)) {
        this.picker.busy = busy;
        this.picker.refresh();
      }
    });
    if (!session.view.loaded) {
      session.start();
    }
    await this.picker.open(this.level);
    listening.dispose();
    return this.picked;
  }

  private offersLevel(): Level {
    const { deps } = this;
    const { session } = deps;
    const actions: OfferActions = {
      choose: (offer) => {
        this.picked = { offer, query: session.effectiveQuery };
        this.picker.close();
      },
      openFilters: () => this.openFilters(),
      retry: () => session.refresh(),
      more: () => void session.more(),
      buttons: (offer) => deps.rowButtons?.(offer) ?? [],
    };
    return {
      title: deps.title,
      placeholder: vscode.l10n.t('Type to filter, such as 4090 x2 <0.8 eu ≥24gb. Press / for all filters.'),
      line: () => session.line,
      buttons: this.buttons(),
      rows: () => offerRows(session.view, session.effectiveQuery, actions, deps.clock.now()),
      ownPlace: true,
      activeId: () => this.place ?? this.firstId(),
      active: (row) => {
        // The editor makes the first row active for a moment whenever rows are set, which is no choice.
        if (row.id !== 'filters') {
          this.place = row.id === this.firstId() ? undefined : row.id;
        }
      },
      typed: (value) => {
        if (value.startsWith('/')) {
          this.openFilters();
          return;
        }
        if (value !== session.line) {
          this.place = undefined;
        }
        session.setTyped(value);
      },
    };
  }

  private firstId(): string | undefined {
    const [first] = this.deps.session.view.rows;
    return first && offerId(first);
  }

  private openFilters(): void {
    this.deps.session.absorbTyped();
    this.picker.push(filtersLevel(this.picker, this.editor));
  }

  private buttons(): readonly LevelButton[] {
    const { deps, picker, editor } = this;
    const button = (icon: string, tooltip: string, run: () => void): LevelButton => ({
      iconPath: new vscode.ThemeIcon(icon),
      tooltip,
      run,
    });
    return [
      button('filter', vscode.l10n.t('Filters'), () => {
        this.openFilters();
      }),
      button('sort-precedence', vscode.l10n.t('Sort'), () => {
        picker.push(sortLevel(picker, editor));
      }),
      button('bookmark', vscode.l10n.t('Saved and Recent Searches'), () => {
        const { saved, recent, report, session } = deps;
        session.absorbTyped();
        picker.push(
          savedLevel(picker, editor, { saved, recent, report, current: () => session.effectiveQuery }),
        );
      }),
      button('refresh', vscode.l10n.t('Search Again'), () => {
        deps.session.refresh();
      }),
      ...(deps.extraButtons ?? []),
    ];
  }
}
