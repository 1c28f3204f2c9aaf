import type { Client } from '../../api/client';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileAsking } from '../../editor/progress';
import { shortened } from '../../model/rentals/agreedEnd';
import type { VolumeChoice } from '../../model/rentals/rent';
import { returnDraft, narrowedDraft, type BackToList, type PickedDraft } from '../../model/rentals/rentDraft';
import { RentFlow } from '../../model/rentals/rentFlow';
import { defaultBid, type RentChoices, type RentSource } from '../../model/rentals/rentPlan';
import type { Services } from '../../services';
import type { Account } from '../../store/accounts/accounts';
import { accountStill } from '../../store/accounts/sameAccount';
import { RecentSearches } from '../../store/offers/recentSearches';
import { endOfSettings, LastRental } from '../../store/rentals/lastRental';
import { defined } from '../../util/defined';
import { firstImage, type StepDeps } from './rentSteps';
import { rentOffer, type WizardDeps } from './rentWizard';
import { needsMessage, resultText } from './resultText';
import { templateChoices } from './templateRows';

export type RentDeps = WizardDeps &
  Pick<Services, 'globalState' | 'keptSecrets' | 'templates' | 'templateStores'>;

/** Runs the steps from a picked offer to its rental. */
export async function rentPicked(
  deps: RentDeps,
  draft: PickedDraft,
): Promise<'rented' | 'cancelled' | BackToList> {
  const account = accountStill(deps.accounts, draft.accountKey);
  const rents = new LastRental(deps.globalState);
  const steps: StepDeps = {
    templates: () => templateChoices(deps, account),
    client: account.client,
    recentImages: rents.images,
    volumes: account.client.volumes,
    secrets: { ...deps, accountKey: account.key },
  };
  const usual = rents.end(account.key, endOfSettings(deps.settings));
  const choices = {
    end: shortened(usual, draft.workspace?.end),
    ...(await startChoices(draft, rents, steps)),
    ...(await volumeOfWorkspace(draft, account.client.volumes)),
  };
  const flow = new RentFlow({ ...draft, choices }, draft.choices?.source !== undefined);
  const { volume, volumePerGbMonth } = choices;
  const elsewhere = flow.choices.volume ? undefined : volume;
  if (elsewhere) {
    message('warning', elsewhereText(elsewhere));
  }
  if (draft.order) {
    // The order defines everything else.
    flow.toConfirmation();
  }
  const end = await rentOffer(flow, { ...deps, account }, steps);
  if (end.kind === 'cancelled') {
    return end.kind;
  }
  if (end.kind !== 'rented') {
    // The next offer may be on the machine of the volume that this one left out.
    const kept = elsewhere && !flow.choices.volume ? { volume: elsewhere, volumePerGbMonth } : {};
    const left = { ...flow.draft, choices: defined<RentChoices>({ ...flow.choices, ...kept }) };
    return end.kind === 'narrowed'
      ? { kind: end.kind, draft: narrowedDraft(left, end.filters) }
      : { kind: end.isOutdated === true ? 'outdated' : 'back', draft: returnDraft(draft, left) };
  }
  const { results, wanted, whyNotAll, answerWasLost } = end;
  await rents.keep(flow.choices);
  await noteTemplate(deps, account, flow.choices.source);
  await new RecentSearches(deps.globalState).keepRecent(flow.query);
  // The progress of getting ready already reports an ordinary rental.
  if (answerWasLost || needsMessage(results, wanted, flow.choices)) {
    message('info', resultText(results, wanted, whyNotAll));
  }
  return 'rented';
}

/** Returns why a volume of the choices is not used on the machine of this offer. */
function elsewhereText({ kind, volumeId, machineId }: VolumeChoice): string {
  const machine = machineId ?? '?';
  return kind === 'create'
    ? t('The new volume would be on machine {0}, so it is not created with an instance on this one.', machine)
    : t(
        'Volume V.{0} is on machine {1}, so it is not attached to an instance on this one.',
        volumeId,
        machine,
      );
}

/**
 * Returns the volume that the file of a workspace names, if it is on the machine of the offer, or a new one that the
 * user wants; its price is in the confirmation. An answer of the user to this offer counts instead.
 */
async function volumeOfWorkspace(
  { offer: { id, machineId }, left, workspace }: PickedDraft,
  volumes: Client['volumes'],
): Promise<Pick<RentChoices, 'volume' | 'volumePerGbMonth'>> {
  if (left?.offerId === id || machineId === undefined) {
    return {};
  }
  const own = workspace?.volumes?.find((one) => one.machineId === machineId);
  const wanted = workspace?.newVolume;
  if (own || !wanted) {
    return own ? { volume: own } : {};
  }
  const { name, sizeGb, mountPath } = wanted;
  const { items } = await whileAsking(volumes.search({ machineId, leastSizeGb: sizeGb, limit: 1 }));
  const [cheapest] = items;
  if (!cheapest) {
    message(
      'warning',
      t('Machine {0} offers no volume of {1} GB, so {2} is not created there.', machineId, sizeGb, name),
    );
    return {};
  }
  return defined<Pick<RentChoices, 'volume' | 'volumePerGbMonth'>>({
    volume: { kind: 'create', volumeId: cheapest.id, machineId, sizeGb, mountPath, name },
    volumePerGbMonth: cheapest.perGbMonth,
  });
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

/**
 * Returns the choices with which the user left the steps of another offer, then the given ones, then those of the last
 * rental. A bid depends on the offer.
 */
async function startChoices(
  { offer, query, choices: given = {}, left, workspace }: PickedDraft,
  rents: LastRental,
  steps: StepDeps,
): Promise<RentChoices> {
  const { bidPerHour, ...choices } = left?.choices ?? given;
  const isAsked = choices.source === undefined && rents.templateId !== undefined;
  const remembered = isAsked ? (await steps.templates()).find(rents.templateId) : undefined;
  const source: RentSource =
    choices.source ??
    (remembered
      ? { kind: 'template', template: remembered }
      : { kind: 'image', image: rents.images[0] ?? firstImage });
  const diskGb = choices.source === undefined && source.kind === 'image' ? rents.diskGb : undefined;
  const ownBid = left?.offerId === offer.id ? bidPerHour : undefined;
  const bid =
    query.rentalType === 'interruptible' ? (ownBid ?? defaultBid(offer, workspace?.maxBid)) : undefined;
  return {
    ...(diskGb === undefined ? {} : { diskGb }),
    ...choices,
    source,
    ...(bid === undefined ? {} : { bidPerHour: bid }),
  };
}
