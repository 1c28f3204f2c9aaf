import * as vscode from 'vscode';
import type { WireFiltersShape } from '../../model/offers/filters';
import type { MarketQuery } from '../../model/offers/marketQuery';
import type { Offer } from '../../model/offers/offer';
import { defaultBid, type RentChoices, type RentSource } from '../../model/rentals/rentPlan';
import {
  readSavedSearches,
  withoutSavedSearch,
  withRenamedSearch,
  withSavedSearch,
} from '../../model/offers/savedSearches';
import type { Services } from '../../services';
import type { Account } from '../../store/ports';
import { OfferSession } from './offerSession';
import { pickOffer, type Picked } from './offerPicker';
import { listTools } from './offerTools';
import { RentMemory } from './rentMemory';
import { firstImage, type StepDeps } from './rentSteps';
import { rentOffer, type WizardDeps, type WizardEnd } from './rentWizard';
import { needsWord, resultText } from './resultText';
import type { SavedSearches } from './savedLevel';
import { RegistryLogins } from '../../store/accounts/registryLogins';
import { templateChoices } from './templateRows';
import { SearchMemory } from '../../store/offers/searchMemory';

export type JourneyDeps = WizardDeps &
  Pick<
    Services,
    | 'globalState'
    | 'secrets'
    | 'templates'
    | 'templateDesk'
    | 'failedMachines'
    | 'offerPins'
    | 'searchBudget'
    | 'searchWatches'
  >;

/** Where a search begins and what it is for. */
export interface JourneyStart {
  readonly account: Account;
  readonly title: string;
  readonly query: MarketQuery;
  /** Filters of a template or workspace that people's terms cannot say. */
  readonly baseFilters?: WireFiltersShape;
  /** What will run was decided before the search. */
  readonly source?: RentSource;
  readonly choices?: Partial<RentChoices>;
  /** The search becomes the one that the next search begins with. */
  readonly isRemembered?: boolean;
  /** An offer that was chosen elsewhere: its steps come first, and Back leads to the list. */
  readonly picked?: Offer;
}

/** From the search to the rental, with every way back. */
export async function searchAndRent(deps: JourneyDeps, start: JourneyStart): Promise<void> {
  const searches = new SearchMemory(deps.globalState);
  const rents = new RentMemory(deps.globalState);
  const { account } = start;
  if (deps.templates.state.kind !== 'loading') {
    // The steps list them as they are by then; where it fails they say so.
    deps.templates.refresh().catch(() => undefined);
  }
  const session = new OfferSession({
    search: (search, options) => account.client.offers.search(search, options),
    clock: deps.clock,
    budget: deps.searchBudget,
    query: start.query,
    ...(start.baseFilters === undefined ? {} : { templateFilters: start.baseFilters }),
  });
  try {
    const end = await rounds(deps, { start, session, searches, rents });
    if (end?.kind === 'rented') {
      await rents.keep(end.flow.choices);
      await noteTemplate(deps, account, end.flow.choices.source);
      await searches.keepRecent(end.flow.query);
      // An ordinary rental is told by the progress of getting ready; one message at a time.
      if (end.answerWasLost || needsWord(end.results, end.wanted, end.flow.choices)) {
        void vscode.window.showInformationMessage(resultText(end.results, end.wanted));
      }
    }
  } finally {
    if (start.isRemembered === true) {
      await searches.keepLast(session.chosenQuery);
    }
    session.dispose();
  }
}

/** With the account's others, so that it goes with them. */
async function noteTemplate(
  { templateDesk, log }: JourneyDeps,
  { key }: Account,
  source: RentSource,
): Promise<void> {
  if (source.kind !== 'template') {
    return;
  }
  const { id, name, hashId } = source.template;
  await templateDesk.refs.noteUse(key, { id, name, hash: hashId }).catch((error: unknown) => {
    log.warn(`The template could not be remembered: ${String(error)}`);
  });
}

interface Round {
  readonly start: JourneyStart;
  readonly session: OfferSession;
  readonly searches: SearchMemory;
  readonly rents: RentMemory;
}

/** List and steps in turn, until something is rented or the user stops. */
async function rounds(deps: JourneyDeps, round: Round): Promise<WizardEnd | undefined> {
  const { start, session, rents } = round;
  let activeOfferId: number | undefined;
  let chosen: Picked | undefined = start.picked && { offer: start.picked, query: start.query };
  for (;;) {
    const picked: Picked | undefined = chosen ?? (await pickFrom(deps, round, activeOfferId));
    chosen = undefined;
    if (!picked) {
      return undefined;
    }
    activeOfferId = picked.offer.id;
    const { account } = start;
    const steps: StepDeps = {
      templates: () => templateChoices(deps, account),
      client: account.client,
      recentImages: rents.images,
      volumes: account.client.volumes,
      logins: new RegistryLogins(deps.secrets, account.key),
    };
    const bid = picked.query.rentalType === 'interruptible' ? defaultBid(picked.offer) : undefined;
    const end = await rentOffer(
      {
        ...picked,
        choices: {
          ...(await startChoices(start, rents, steps)),
          ...(bid === undefined ? {} : { bidPerHour: bid }),
        },
        ...(start.source === undefined ? {} : { sourceGiven: true }),
        ...(start.baseFilters === undefined ? {} : { baseFilters: start.baseFilters }),
      },
      { ...deps, account },
      steps,
    );
    if (end.kind !== 'back') {
      return end;
    }
    if (end.isOutdated === true) {
      session.refresh();
    }
  }
}

/** One showing of the list. */
async function pickFrom(
  deps: JourneyDeps,
  { start, session, searches }: Round,
  activeOfferId: number | undefined,
): Promise<Picked | undefined> {
  const failed = await deps.failedMachines.list().catch((error: unknown) => {
    // The marks are a help; without them the search goes on.
    deps.log.warn(`The machines that failed could not be read: ${String(error)}`);
    return [];
  });
  session.setFailedMachines(failed);
  const origin = {
    title: start.title,
    ...(start.baseFilters === undefined ? {} : { baseFilters: start.baseFilters }),
    ...(start.source === undefined ? {} : { source: start.source }),
    ...(start.choices === undefined ? {} : { choices: start.choices }),
  };
  return pickOffer({
    session,
    clock: deps.clock,
    saved: savedIn(deps),
    recent: searches.recent,
    title: start.title,
    ...(activeOfferId === undefined ? {} : { activeOfferId }),
    report: (error) => {
      deps.report.error(error);
    },
    tools: listTools(deps, session, origin),
  });
}

/** What was given; otherwise what the last rental was made of. */
async function startChoices(start: JourneyStart, rents: RentMemory, steps: StepDeps): Promise<RentChoices> {
  const isAsked = start.source === undefined && rents.templateId !== undefined;
  const remembered = isAsked ? (await steps.templates()).find(rents.templateId) : undefined;
  const source: RentSource =
    start.source ??
    (remembered
      ? { kind: 'template', template: remembered }
      : { kind: 'image', image: rents.images[0] ?? firstImage });
  const diskGb = start.source === undefined && source.kind === 'image' ? rents.diskGb : undefined;
  return { ...(diskGb === undefined ? {} : { diskGb }), ...start.choices, source };
}

function savedIn({ settings }: JourneyDeps): SavedSearches {
  const key = 'gpuRental.search.saved';
  return {
    list: () => readSavedSearches(settings.get(key)),
    save: (name, query) => settings.set(key, withSavedSearch(settings.get(key), name, query)),
    rename: (name, to) => settings.set(key, withRenamedSearch(settings.get(key), name, to)),
    remove: (name) => settings.set(key, withoutSavedSearch(settings.get(key), name)),
  };
}
