import type { Client, Listing } from '../../api/client';
import { localize, t } from '../../editor/localize';
import { whileAsking } from '../../editor/progress';
import { askText, pickFromList, type Row } from '../../editor/quickPick';
import { diskRate } from '../../model/quote';
import { stoppedText } from '../../model/rentals/costFacts';
import type { VolumeChoice } from '../../model/rentals/rent';
import type { RentFlow } from '../../model/rentals/rentFlow';
import { usualMountPath } from '../../model/rentals/rentPlan';
import type { Volume, VolumeOffer } from '../../model/volume';
import { isCancelled, UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { typedNumber } from '../../util/typedNumber';
import type { StepResult } from './rentSteps';

type Pick =
  | { readonly kind: 'none' }
  | { readonly kind: 'link'; readonly volume: Volume }
  | { readonly kind: 'create'; readonly offer: VolumeOffer };

/** Attaches a volume of this machine, existing or new. Volumes never leave their machine. */
export async function volumeOption(
  flow: RentFlow,
  volumes: Client['volumes'] | undefined,
): Promise<StepResult | undefined> {
  const { machineId } = flow.offer;
  if (!volumes || machineId === undefined) {
    await pickFromList<never>({
      title: t('Rent: {0}', t('Volume')),
      placeholder: '',
      canGoBack: true,
      rows: [
        {
          label: t("The service does not identify this machine, so you can't attach a volume."),
        },
      ],
    });
    return undefined;
  }
  const rows = await whileAsking(volumeRows(volumes, machineId)).catch((error: unknown) => {
    // The end of the waiting returns to the options and loses none of them.
    if (!isCancelled(error)) {
      throw error;
    }
    return undefined;
  });
  if (!rows) {
    return undefined;
  }
  const answer = await pickFromList<Pick>({
    title: t('Rent: {0}', t('Volume')),
    placeholder: t('A volume keeps its data and still costs money after the instance is destroyed.'),
    canGoBack: true,
    rows,
  });
  if (answer.kind !== 'picked') {
    return undefined;
  }
  const pick = answer.value;
  if (pick.kind === 'none') {
    return { unset: ['volume', 'volumePerGbMonth'] };
  }
  const volume = await complete(pick, machineId);
  if (!volume) {
    return undefined;
  }
  const perGbMonth = pick.kind === 'create' ? pick.offer.perGbMonth : undefined;
  return perGbMonth === undefined
    ? { set: { volume }, unset: ['volumePerGbMonth'] }
    : { set: { volume, volumePerGbMonth: perGbMonth } };
}

async function volumeRows(volumes: Client['volumes'], machineId: number): Promise<readonly Row<Pick>[]> {
  const [own, offers] = await Promise.all([
    orReason(volumes.list()),
    orReason(volumes.search({ machineId, limit: 8 })),
  ]);
  const here = own.items.filter((volume) => volume.machineId === machineId);
  const elsewhere = own.items.length - here.length;
  return [
    { id: 'none', label: t('No Volume'), value: { kind: 'none' } },
    ...here.map((volume): Row<Pick> => ({
      id: `volume:${volume.id}`,
      label: plainLabel(volume.label ?? `V.${volume.id}`),
      description: t('{0} GB, yours', volume.sizeGb ?? '?'),
      value: { kind: 'link', volume },
    })),
    ...offers.items.map((offer): Row<Pick> => ({
      id: `offer:${offer.id}`,
      icon: 'add',
      label: t('Create a Volume…'),
      description: t('up to {0} GB', Math.floor(offer.sizeGb ?? 0)),
      ...(offer.perGbMonth === undefined
        ? {}
        : { detail: t('100 GB: {0}', localize(stoppedText(diskRate(offer.perGbMonth, 100)))) }),
      value: { kind: 'create', offer },
    })),
    ...(elsewhere === 0
      ? []
      : [
          {
            label: t(
              'Your volumes on other machines: {0}. To use them, search by machine number.',
              elsewhere,
            ),
          },
        ]),
    ...[own.reason, unread(own.skipped), offers.reason]
      .filter((reason) => reason !== undefined)
      .map((label) => ({ icon: 'error', label: label })),
  ];
}

function unread(skipped: number): string | undefined {
  return skipped === 0
    ? undefined
    : t('Could not be read and are left out: {0}. The log names the field.', skipped);
}

/** Shows an error as a row, never as an empty list. */
async function orReason<T>(listing: Promise<Listing<T>>): Promise<Listing<T> & { readonly reason?: string }> {
  try {
    return await listing;
  } catch (error) {
    if (error instanceof UserError) {
      return { items: [], skipped: 0, reason: localize(error.text) };
    }
    throw error;
  }
}

async function complete(
  pick: Exclude<Pick, { kind: 'none' }>,
  machineId: number,
): Promise<VolumeChoice | undefined> {
  const mount = await askText({
    title: t('Rent: {0}', t('Volume')),
    prompt: t('The folder on the machine at which to mount the volume'),
    value: usualMountPath,
    canGoBack: true,
    problem: (typed) =>
      /^\/[^\s:]+$/.test(typed.trim()) ? undefined : t('Enter a full path, such as /workspace.'),
  });
  if (mount.kind !== 'picked') {
    return undefined;
  }
  const mountPath = mount.value.trim();
  if (pick.kind === 'link') {
    return { kind: 'link', volumeId: pick.volume.id, machineId, mountPath };
  }
  const most = Math.floor(pick.offer.sizeGb ?? 0);
  const size = await askText({
    title: t('Rent: {0}', t('Volume')),
    prompt: t('GB, at most {0}', most),
    value: String(Math.min(50, most)),
    canGoBack: true,
    problem: (typed) => {
      const gb = typedNumber(typed);
      return Number.isInteger(gb) && gb >= 1 && gb <= most
        ? undefined
        : t('Enter a whole number from 1 to {0}.', most);
    },
  });
  return size.kind === 'picked'
    ? { kind: 'create', volumeId: pick.offer.id, machineId, sizeGb: typedNumber(size.value), mountPath }
    : undefined;
}
