import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { narrowedDraft, type PickedDraft, type RentDraft } from '../../model/rentals/rentDraft';
import { RentFlow } from '../../model/rentals/rentFlow';
import { defaultBid, type RentChoices, type RentSource } from '../../model/rentals/rentPlan';
import type { Services } from '../../services';
import { RegistryLogins } from '../../store/accounts/registryLogins';
import { accountStill } from '../../store/accounts/sameAccount';
import { RecentSearches } from '../../store/offers/recentSearches';
import type { Account } from '../../store/ports';
import { LastRental } from '../../store/rentals/lastRental';
import { firstImage, type StepDeps } from './rentSteps';
import { rentOffer, type WizardDeps } from './rentWizard';
import { needsWord, resultText } from './resultText';
import { templateChoices } from './templateRows';

export type RentDeps = WizardDeps &
  Pick<Services, 'globalState' | 'secrets' | 'templates' | 'templateStores'>;

/**
 * Runs the steps from a picked offer to its rental. `back` returns to the list; `outdated` means that an offer is gone.
 * A draft starts a narrower search.
 */
export async function rentPicked(
  deps: RentDeps,
  draft: PickedDraft,
): Promise<'rented' | 'back' | 'outdated' | 'cancelled' | RentDraft> {
  const account = accountStill(deps.accounts, draft.accountKey);
  const rents = new LastRental(deps.globalState);
  const steps: StepDeps = {
    templates: () => templateChoices(deps, account),
    client: account.client,
    recentImages: rents.images,
    volumes: account.client.volumes,
    logins: new RegistryLogins(deps.secrets, account.key),
  };
  const choices = await startChoices(draft, rents, steps);
  const flow = new RentFlow({ ...draft, choices }, draft.choices?.source !== undefined);
  const { volume } = choices;
  if (volume?.machineId !== undefined && !flow.choices.volume) {
    message(
      'warning',
      t(
        'Volume V.{0} is on machine {1}, so it is not attached to an instance on this one.',
        volume.volumeId,
        volume.machineId,
      ),
    );
  }
  if (draft.job) {
    // The job's file defines everything else.
    flow.toConfirmation();
  }
  const end = await rentOffer(flow, { ...deps, account }, steps);
  if (end.kind === 'narrowed') {
    return narrowedDraft(flow.draft, end.filters);
  }
  if (end.kind !== 'rented') {
    return end.kind === 'back' && end.isOutdated === true ? 'outdated' : end.kind;
  }
  const { results, wanted, whyNotAll, answerWasLost } = end;
  await rents.keep(flow.choices);
  await noteTemplate(deps, account, flow.choices.source);
  await new RecentSearches(deps.globalState).keepRecent(flow.query);
  // The progress of getting ready already reports an ordinary rental.
  if (answerWasLost || needsWord(results, wanted, flow.choices)) {
    message('info', resultText(results, wanted, whyNotAll));
  }
  return 'rented';
}

/** Remembers the template of this account, so that signing out forgets it. */
async function noteTemplate(
  { templateStores, log }: RentDeps,
  { key }: Account,
  source: RentSource,
): Promise<void> {
  if (source.kind !== 'template') {
    return;
  }
  const { id, name, hashId } = source.template;
  await templateStores.refs.noteUse(key, { id, name, hash: hashId }).catch((error: unknown) => {
    log.warn(`The template could not be remembered: ${String(error)}`);
  });
}

/** Returns the given choices, otherwise those of the last rental. A bid depends on the offer. */
async function startChoices(
  { offer, query, choices = {} }: PickedDraft,
  rents: LastRental,
  steps: StepDeps,
): Promise<RentChoices> {
  const isAsked = choices.source === undefined && rents.templateId !== undefined;
  const remembered = isAsked ? (await steps.templates()).find(rents.templateId) : undefined;
  const source: RentSource =
    choices.source ??
    (remembered
      ? { kind: 'template', template: remembered }
      : { kind: 'image', image: rents.images[0] ?? firstImage });
  const diskGb = choices.source === undefined && source.kind === 'image' ? rents.diskGb : undefined;
  const bid = query.rentalType === 'interruptible' ? defaultBid(offer) : undefined;
  return {
    ...(diskGb === undefined ? {} : { diskGb }),
    ...choices,
    source,
    ...(bid === undefined ? {} : { bidPerHour: bid }),
  };
}
