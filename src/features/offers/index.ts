import { runCommand } from '../../editor/commands';
import { confirmEditedTemplate } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { plainLabel } from '../../editor/quickPick';
import { templateName } from '../../model/templates/templateName';
import type { WireFiltersShape } from '../../model/offers/filters';
import type { MarketQuery } from '../../model/offers/marketQuery';
import { readWireFilters } from '../../model/offers/readWireFilters';
import { plannedDiskGb } from '../../model/rentals/rentPlan';
import { defaultQuery } from '../../model/offers/savedSearches';
import { defaultFilters, type Filters } from '../../model/offers/searchFields';
import type { Template } from '../../model/templates/template';
import { refState } from '../../model/templates/templateRef';
import type { Services } from '../../services';
import type { Account } from '../../store/ports';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { searchAndRent, type JourneyDeps } from './journey';
import { anotherLike } from './rentAnother';
import { RentMemory } from './rentMemory';
import { readQueryRequest, readRentRequest, readSearchRequest } from './requests';
import { SearchMemory } from '../../store/offers/searchMemory';
import { pickTemplate } from './templatePick';
import { usualMountPath } from './volumeOption';

type Deps = JourneyDeps & Pick<Services, 'commands'>;

/** The search of offers and the rental. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const { commands } = deps;
  store.add(commands.register('gpuRental.searchOffers', (preset) => search(deps, gpuNameOf(preset))));
  store.add(commands.register('gpuRental.rentFromTemplate', (target) => fromTemplate(deps, target)));
  store.add(commands.register('gpuRental.searchWith', (request) => searchWith(deps, request)));
  store.add(commands.register('gpuRental.showSearch', (request) => showSearch(deps, request)));
  store.add(commands.register('gpuRental.rentPinned', (target) => rentPinned(deps, target)));
  store.add(commands.register('gpuRental.rentWith', (request) => rentWith(deps, request)));
  store.add(commands.register('gpuRental.instance.rentAnother', (target) => another(deps, target)));
  return store;
}

/** The account to search with; signing in comes first where there is none. */
async function signedIn({ accounts }: Deps): Promise<Account | undefined> {
  if (!accounts.active) {
    await runCommand('gpuRental.signIn');
  }
  return accounts.active;
}

/** The model that another part asks for; arguments of commands are checked. */
function gpuNameOf(preset: unknown): string | undefined {
  const name =
    typeof preset === 'object' && preset !== null && 'gpuName' in preset ? preset.gpuName : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

async function search(deps: Deps, gpuName: string | undefined): Promise<void> {
  const account = await signedIn(deps);
  if (!account) {
    return;
  }
  const { last } = new SearchMemory(deps.globalState);
  const { diskGb } = new RentMemory(deps.globalState);
  const query = { ...last, diskGb: diskGb ?? last.diskGb };
  await searchAndRent(deps, {
    account,
    title: t('Search Offers'),
    query:
      gpuName === undefined ? query : { ...query, filters: { ...query.filters, gpu: { oneOf: [gpuName] } } },
    isRemembered: gpuName === undefined,
  });
}

/** A search that begins with somebody's filters; of ours only those that they do not name. */
function queryWith(filters: Filters, diskGb: number, maxPricePerHour?: number): MarketQuery {
  return {
    ...defaultQuery,
    diskGb,
    filters: {
      ...defaultFilters,
      ...filters,
      ...(maxPricePerHour === undefined ? {} : { pricePerHour: { max: maxPricePerHour } }),
    },
  };
}

async function fromTemplate(deps: Deps, target: unknown): Promise<void> {
  const account = await signedIn(deps);
  const id =
    typeof target === 'object' && target !== null && 'templateId' in target ? target.templateId : undefined;
  const template = account && (await pickTemplate(deps, account, typeof id === 'number' ? id : undefined));
  if (!account || !template || !(await isAsRemembered(deps, account, template, target))) {
    return;
  }
  await searchAndRent(deps, { account, ...forTemplate(template) });
}

/** A favorite, or one that was rented from lately, may have been edited since; true where it is wanted all the same. */
async function isAsRemembered(
  { templateDesk }: Deps,
  { key }: Account,
  template: Template,
  target: unknown,
): Promise<boolean> {
  const group = typeof target === 'object' && target !== null && 'group' in target ? target.group : undefined;
  if (group !== 'favourites' && group !== 'recent') {
    return true;
  }
  const list = group === 'recent' ? 'recents' : group;
  const ref = await templateDesk.refs.find(key, list, template.id);
  return (
    ref === undefined ||
    refState(ref, template).kind === 'current' ||
    confirmEditedTemplate(t('The template {0} was edited since you chose it.', templateName(template)))
  );
}

function forTemplate(template: Template) {
  const { filters, rest } = readWireFilters(template.extraFilters);
  const source = { kind: 'template' as const, template };
  return {
    title: t('Search Offers for {0}', templateName(template)),
    query: queryWith(filters, plannedDiskGb({ source })),
    baseFilters: rest,
    source,
  };
}

async function searchWith(deps: Deps, given: unknown): Promise<void> {
  const request = readSearchRequest(given);
  const account = await signedIn(deps);
  if (!account) {
    return;
  }
  const { filters, rest } = readWireFilters(request.filters);
  const { diskGb = defaultQuery.diskGb } = new RentMemory(deps.globalState);
  const { volume } = request;
  if (volume) {
    await searchAndRent(deps, { account, ...forVolume(volume, diskGb) });
    return;
  }
  await searchAndRent(deps, {
    account,
    title: t('Search Offers'),
    query: queryWith(filters, diskGb, request.maxPricePerHour),
    baseFilters: rest,
  });
}

async function showSearch(deps: Deps, given: unknown): Promise<void> {
  const { query, baseFilters, name } = readQueryRequest(given);
  const account = await signedIn(deps);
  if (!account) {
    return;
  }
  await searchAndRent(deps, {
    account,
    title: name === undefined ? t('Search Offers') : t('Search Offers: {0}', plainLabel(name)),
    query,
    ...(baseFilters === undefined ? {} : { baseFilters }),
  });
}

async function rentPinned(deps: Deps, target: unknown): Promise<void> {
  const id =
    typeof target === 'object' && target !== null && 'offerId' in target ? target.offerId : undefined;
  const account = await signedIn(deps);
  const pin = typeof id === 'number' ? deps.offerPins.find(id) : undefined;
  if (!account || !pin) {
    return;
  }
  await searchAndRent(deps, { account, ...pin.origin, picked: pin.offer });
}

/** A volume never leaves its machine, so nothing else about the machine matters. */
function forVolume({ id, machineId }: { readonly id: number; readonly machineId: number }, diskGb: number) {
  return {
    title: t('Search Offers on Machine {0}', machineId),
    query: {
      ...defaultQuery,
      diskGb,
      filters: { rentable: true, machine: { oneOf: [String(machineId)] } },
    },
    choices: { volume: { kind: 'link' as const, volumeId: id, mountPath: usualMountPath } },
  };
}

async function rentWith(deps: Deps, given: unknown): Promise<void> {
  const request = readRentRequest(given);
  const account = await signedIn(deps);
  if (!account) {
    return;
  }
  const template = request.template && (await pickTemplate(deps, account, request.template.id));
  const source = template
    ? ({ kind: 'template', template } as const)
    : request.image === undefined
      ? undefined
      : ({ kind: 'image', image: request.image } as const);
  const { filters, rest }: { filters: Filters; rest: WireFiltersShape } = readWireFilters(request.filters);
  const diskGb = request.diskGb ?? (source ? plannedDiskGb({ source }) : defaultQuery.diskGb);
  await searchAndRent(deps, {
    account,
    title: t('Search Offers for This Workspace'),
    query: queryWith(filters, diskGb, request.maxPricePerHour),
    baseFilters: rest,
    ...(source ? { source } : {}),
    choices: {
      ...(request.diskGb === undefined ? {} : { diskGb: request.diskGb }),
      ...(Object.keys(request.env).length === 0 ? {} : { env: request.env }),
      ...(request.onStart === undefined ? {} : { onstart: request.onStart }),
    },
  });
}

async function another(deps: Deps, target: unknown): Promise<void> {
  const account = await signedIn(deps);
  const model = account && (await anotherLike(deps, account, target));
  if (!account || !model) {
    return;
  }
  await searchAndRent(deps, { account, ...model });
}
