import { runCommand } from '../../editor/commands';
import { spendable } from '../../model/accounts/account';
import { withoutProposal, type ProposedKey } from '../../model/offers/firstSearch';
import type { MarketQuery } from '../../model/offers/marketQuery';
import {
  readSavedSearches,
  withoutSavedSearch,
  withRenamedSearch,
  withSavedSearch,
} from '../../model/offers/savedSearches';
import type { PickedDraft, RentDraft } from '../../model/rentals/rentDraft';
import type { Services } from '../../services';
import { accountStill } from '../../store/accounts/sameAccount';
import { GpuNames } from '../../store/offers/gpuNames';
import { RecentSearches } from '../../store/offers/recentSearches';
import { pickOffer } from './offerPicker';
import { OfferSession } from './offerSession';
import { listTools } from './offerTools';
import type { SavedSearches } from './savedLevel';

export type SearchDeps = Pick<
  Services,
  | 'accounts'
  | 'contextKeys'
  | 'globalState'
  | 'clock'
  | 'settings'
  | 'report'
  | 'log'
  | 'templates'
  | 'failedMachines'
  | 'offerPins'
  | 'searchBudget'
  | 'searchWatches'
>;

interface SearchOptions {
  /** True if the next search begins with the filters of this one. */
  readonly isRemembered?: boolean;
  /** The fields that a proposal filled in. The user's own query replaces it once a filter is typed. */
  readonly proposal?: { readonly own: MarketQuery; readonly keys: readonly ProposedKey[] };
}

/**
 * Takes the user from the search to the rental and back: the list and the steps alternate until something is rented
 * or the user stops. A draft with an offer begins with its steps; Back then leads to the list.
 */
export async function searchAndRent(
  deps: SearchDeps,
  draft: RentDraft,
  { isRemembered = false, proposal }: SearchOptions = {},
): Promise<void> {
  const searches = new RecentSearches(deps.globalState);
  const { client, user } = accountStill(deps.accounts, draft.accountKey);
  if (deps.templates.state.kind !== 'loading') {
    // The steps list the templates as they are when opened, and report a failed read themselves.
    deps.templates.refresh().catch(() => undefined);
  }
  const gpuNames = new GpuNames({ ...deps, memory: deps.globalState });
  void gpuNames.refresh(client.offers);
  const session = new OfferSession({
    gpuNames: () => gpuNames.names,
    search: (search, options) => client.offers.search(search, options),
    clock: deps.clock,
    budget: deps.searchBudget,
    query: draft.query,
    credit: spendable(user),
    onceTyped: proposal?.own,
  });
  const recent = () => searches.recent;
  let round: Round = { draft, session, recent };
  try {
    let picked = draft.offer ? { ...draft, offer: draft.offer } : await pickFrom(deps, round);
    while (picked) {
      const end = await runCommand('gpuRental.rentOffer', picked);
      if (typeof end !== 'object') {
        return;
      }
      round = { draft: end.draft, session, recent };
      if (end.kind === 'narrowed') {
        // The typed text becomes part of the new filters.
        session.absorbTyped();
        session.setQuery(end.draft.query);
      } else if (end.kind === 'outdated') {
        session.refresh();
      }
      picked = await pickFrom(deps, round, picked.offer.id);
    }
  } finally {
    // Don't remember an unchanged proposal, or later ones would not follow the user's credit and rentals.
    if (isRemembered && !session.isAsProposed) {
      const { query, keys } =
        proposal && !session.isTyped
          ? withoutProposal(session.chosenQuery, { ...proposal, proposed: draft.query })
          : { query: session.chosenQuery, keys: [] };
      await searches.keepLast(query, keys);
    }
    session.dispose();
  }
}

interface Round {
  readonly draft: RentDraft;
  readonly session: OfferSession;
  readonly recent: () => readonly MarketQuery[];
}

/** Shows the list once. */
async function pickFrom(
  deps: SearchDeps,
  { draft, session, recent }: Round,
  activeOfferId?: number,
): Promise<PickedDraft | undefined> {
  const failed = await deps.failedMachines.list().catch((error: unknown) => {
    // The marks are optional, so a failed read does not end the search.
    deps.log.warn(`The machines that failed could not be read: ${String(error)}`);
    return [];
  });
  session.setFailedMachines(failed);
  const picked = await pickOffer({
    session,
    clock: deps.clock,
    saved: savedIn(deps),
    recent: recent(),
    title: draft.title,
    activeOfferId,
    report: (error) => {
      deps.report.error(error);
    },
    tools: listTools(deps, session, draft),
  });
  if (session.view.rows.length > 0) {
    deps.contextKeys.set('gpuRental.done.search', true);
  }
  return picked && { ...draft, ...picked };
}

function savedIn({ settings }: SearchDeps): SavedSearches {
  const key = 'gpuRental.search.saved';
  return {
    list: () => readSavedSearches(settings.get(key)),
    save: (name, query) => settings.set(key, withSavedSearch(settings.get(key), name, query)),
    rename: (name, to) => settings.set(key, withRenamedSearch(settings.get(key), name, to)),
    remove: (name) => settings.set(key, withoutSavedSearch(settings.get(key), name)),
  };
}
