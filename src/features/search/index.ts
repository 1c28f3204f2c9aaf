import { signedIn } from '../../editor/commands';
import { titleOf } from '../../editor/titles';
import { spendable } from '../../model/accounts/account';
import { fromDollars } from '../../model/money';
import { firstSearch, withProposal } from '../../model/offers/firstSearch';
import { defaultQuery } from '../../model/offers/savedSearches';
import type { RentDraft } from '../../model/rentals/rentDraft';
import type { Services } from '../../services';
import { followAccount } from '../../shared/followAccount';
import type { Account } from '../../store/accounts/accounts';
import { RecentSearches } from '../../store/offers/recentSearches';
import { LastRental } from '../../store/rentals/lastRental';
import { machinesRented } from '../../store/rentals/machinesRented';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { searchAndRent, type SearchDeps } from './journey';

type Deps = SearchDeps & Pick<Services, 'commands' | 'rentals'>;

/** Registers the search for offers. A chosen offer continues with the steps of a rental. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const { commands } = deps;
  store.add(commands.register('gpuRental.searchOffers', () => search(deps)));
  store.add(commands.register('gpuRental.searchFor', (draft) => searchFor(deps, draft)));
  // Offers and prices belong to an account.
  store.add(
    followAccount(deps.accounts, () => {
      deps.offerPins.clear();
      return undefined;
    }),
  );
  return store;
}

async function search(deps: Deps): Promise<void> {
  const account = await signedIn(deps.accounts);
  if (!account) {
    return;
  }
  const searches = new RecentSearches(deps.globalState);
  const last = searches.last ?? defaultQuery;
  const { diskGb } = new LastRental(deps.globalState);
  const own = { ...last, diskGb: diskGb ?? last.diskGb };
  const keys = searches.proposed;
  const query = withProposal(own, firstSearch(knownOf(deps, account)), keys);
  await searchAndRent(
    deps,
    { accountKey: account.key, title: titleOf('gpuRental.searchOffers'), query },
    { isRemembered: true, ...(keys.length > 0 ? { proposal: { own, keys } } : {}) },
  );
}

/** Returns the facts that the proposal for a first search is based on. */
function knownOf({ rentals, settings }: Deps, { key, user }: Account) {
  const limit = settings.get('gpuRental.rent.limitPerHour');
  return {
    rented: machinesRented(rentals, key),
    credit: spendable(user),
    limitPerHour: limit > 0 ? fromDollars(limit) : undefined,
  };
}

async function searchFor(deps: Deps, draft: RentDraft): Promise<void> {
  const account = await signedIn(deps.accounts);
  if (account) {
    await searchAndRent(deps, { accountKey: account.key, ...draft });
  }
}
