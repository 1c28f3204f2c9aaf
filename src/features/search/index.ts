import { signedIn } from '../../editor/commands';
import { t } from '../../editor/localize';
import type { RentDraft } from '../../model/rentals/rentDraft';
import type { Services } from '../../services';
import { RecentSearches } from '../../store/offers/recentSearches';
import { LastRental } from '../../store/rentals/lastRental';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { searchAndRent, type SearchDeps } from './journey';

type Deps = SearchDeps & Pick<Services, 'commands'>;

/** The search of offers; what is picked goes on to the steps of the rental. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const { commands } = deps;
  store.add(commands.register('gpuRental.searchOffers', (preset) => search(deps, preset?.gpuName)));
  store.add(commands.register('gpuRental.searchFor', (draft) => searchFor(deps, draft)));
  return store;
}

async function search(deps: Deps, gpuName: string | undefined): Promise<void> {
  const account = await signedIn(deps.accounts);
  if (!account) {
    return;
  }
  const { last } = new RecentSearches(deps.globalState);
  const { diskGb } = new LastRental(deps.globalState);
  const query = { ...last, diskGb: diskGb ?? last.diskGb };
  await searchAndRent(
    deps,
    {
      accountKey: account.key,
      title: t('Search Offers'),
      query:
        gpuName === undefined
          ? query
          : { ...query, filters: { ...query.filters, gpu: { oneOf: [gpuName] } } },
    },
    gpuName === undefined,
  );
}

async function searchFor(deps: Deps, draft: RentDraft): Promise<void> {
  const account = await signedIn(deps.accounts);
  if (account) {
    await searchAndRent(deps, { accountKey: account.key, ...draft });
  }
}
