import { signedIn } from '../../editor/commands';
import { t } from '../../editor/localize';
import { plainLabel } from '../../editor/quickPick';
import { defaultQuery, queryWith } from '../../model/offers/savedSearches';
import { usualMountPath } from '../../model/rentals/rentPlan';
import type { Services } from '../../services';
import { SearchMemory } from '../../store/offers/searchMemory';
import type { Account } from '../../store/ports';
import { RentMemory } from '../../store/rentals/rentMemory';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { searchAndRent, type SearchDeps } from './journey';
import { readQueryRequest, readSearchRequest } from './requests';

type Deps = SearchDeps & Pick<Services, 'commands'>;

/** The search of offers; what is picked goes on to the steps of the rental. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const { commands } = deps;
  store.add(commands.register('gpuRental.searchOffers', (preset) => search(deps, gpuNameOf(preset))));
  store.add(commands.register('gpuRental.searchWith', (request) => searchWith(deps, request)));
  store.add(commands.register('gpuRental.showSearch', (request) => showSearch(deps, request)));
  store.add(commands.register('gpuRental.searchFor', (draft) => searchAndRent(deps, draft)));
  store.add(commands.register('gpuRental.rentPinned', (target) => rentPinned(deps, target)));
  return store;
}

/** The model that another part asks for; arguments of commands are checked. */
function gpuNameOf(preset: unknown): string | undefined {
  const name =
    typeof preset === 'object' && preset !== null && 'gpuName' in preset ? preset.gpuName : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

async function search(deps: Deps, gpuName: string | undefined): Promise<void> {
  const account = await signedIn(deps.accounts);
  if (!account) {
    return;
  }
  const { last } = new SearchMemory(deps.globalState);
  const { diskGb } = new RentMemory(deps.globalState);
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

async function searchWith(deps: Deps, given: unknown): Promise<void> {
  const request = readSearchRequest(given);
  const account = await signedIn(deps.accounts);
  if (!account) {
    return;
  }
  const { diskGb = defaultQuery.diskGb } = new RentMemory(deps.globalState);
  const { volume } = request;
  await searchAndRent(
    deps,
    volume
      ? forVolume(account, volume, diskGb)
      : {
          accountKey: account.key,
          title: t('Search Offers'),
          query: queryWith(request.filters, diskGb, request.maxPricePerHour),
        },
  );
}

async function showSearch(deps: Deps, given: unknown): Promise<void> {
  const { query, name } = readQueryRequest(given);
  const account = await signedIn(deps.accounts);
  if (!account) {
    return;
  }
  await searchAndRent(deps, {
    accountKey: account.key,
    title: name === undefined ? t('Search Offers') : t('Search Offers: {0}', plainLabel(name)),
    query,
  });
}

async function rentPinned(deps: Deps, target: unknown): Promise<void> {
  const id =
    typeof target === 'object' && target !== null && 'offerId' in target ? target.offerId : undefined;
  const account = await signedIn(deps.accounts);
  const pin = typeof id === 'number' ? deps.offerPins.find(id) : undefined;
  if (account && pin) {
    await searchAndRent(deps, { ...pin.origin, offer: pin.offer });
  }
}

/** A volume never leaves its machine, so nothing else about the machine matters. */
function forVolume(
  { key: accountKey }: Account,
  { id, machineId }: { readonly id: number; readonly machineId: number },
  diskGb: number,
) {
  return {
    accountKey,
    title: t('Search Offers on Machine {0}', machineId),
    query: {
      ...defaultQuery,
      diskGb,
      filters: { rentable: true, machine: { oneOf: [String(machineId)] } },
    },
    choices: { volume: { kind: 'link' as const, volumeId: id, mountPath: usualMountPath } },
  };
}
