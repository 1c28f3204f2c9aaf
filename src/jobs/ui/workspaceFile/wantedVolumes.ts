import type { Client } from '../../../api/client';
import { runCommand } from '../../../editor/commands';
import { choose } from '../../../editor/confirm';
import { t } from '../../../editor/localize';
import { pricePerDay } from '../../../editor/priceText';
import { whileAsking } from '../../../editor/progress';
import { labelOf } from '../../../editor/titles';
import type { OfferSearch } from '../../../model/offers/filters';
import { diskRate, perDay } from '../../../model/quote';
import type { VolumeChoice } from '../../../model/rentals/rent';
import type { DraftWorkspace } from '../../../model/rentals/rentDraft';
import { volumePerDay, type Volume } from '../../../model/volume';
import type { WantedVolume } from '../../../model/workspace/workspaceFile';
import { defined } from '../../../util/defined';

export interface FoundVolumes extends Pick<DraftWorkspace, 'volumes' | 'newVolume'> {
  /** The machines to which the search is limited, because the file needs a volume that only they have. */
  readonly machineIds: readonly number[];
  /** The names of these volumes. */
  readonly names: readonly string[];
}

/**
 * Finds the volumes that a workspace file names among those of the account. Where the file needs one and none exists, the
 * user decides; nothing is created here. Returns undefined if the user cancels.
 */
export async function findVolumes(
  client: Client,
  wanted: readonly WantedVolume[],
  { now, rentalType }: { readonly now: number; readonly rentalType: OfferSearch['rentalType'] },
): Promise<FoundVolumes | undefined> {
  if (wanted.length === 0) {
    return { machineIds: [], names: [] };
  }
  const { items, skipped } = await whileAsking(client.volumes.list());
  const present = items.filter(({ endsAt }) => endsAt === undefined || endsAt * 1000 > now);
  const linksOf = ({ name, mount }: WantedVolume): readonly VolumeChoice[] =>
    present
      .filter(({ label, machineId }) => label === name && machineId !== undefined)
      .map(({ id, machineId }) =>
        defined<VolumeChoice>({ kind: 'link', volumeId: id, machineId, mountPath: mount, name }),
      );
  const volumes = wanted.flatMap(linksOf);
  const needed = wanted.filter(({ optional }) => optional !== true);
  const there = needed.flatMap(linksOf);
  const machineIds = there.flatMap(({ machineId }) => machineId ?? []);
  const [missing] = needed;
  if (!missing || machineIds.length > 0) {
    const names = [...new Set(there.flatMap(({ name }) => name ?? []))];
    const found = { volumes, machineIds: [...new Set(machineIds)], names };
    const [first] = there;
    const isTaken = first && !(await whileAsking(hasFreeGpu(client, found.machineIds, rentalType)));
    return isTaken ? askForTaken(client, present, first, found) : found;
  }
  const answer = await askForMissing(missing, skipped);
  return answer && { volumes, machineIds: [], names: [], ...answer };
}

function askForMissing(
  { name, mount, sizeGb }: WantedVolume,
  skipped: number,
): Promise<Pick<FoundVolumes, 'newVolume'> | undefined> {
  const unread = skipped === 0 ? [] : [t('Could not be read: {0}. It may be one of them.', skipped)];
  return choose<Pick<FoundVolumes, 'newVolume'>>(
    {
      message: t('Your account has no volume {0}, which the workspace file wants at {1}.', name, mount),
      detail: [
        ...unread,
        sizeGb === undefined
          ? t('Nothing is created, because the file states no "sizeGb".')
          : t(
              'A new one of {0} GB can be created on the machine that you rent. The confirmation shows its price, and it still costs money after the instance is destroyed.',
              sizeGb,
            ),
      ].join('\n'),
    },
    sizeGb !== undefined && {
      label: t('Create with the Instance'),
      run: () => ({ newVolume: { name, sizeGb, mountPath: mount } }),
    },
    { label: t('Rent Without It'), run: () => ({}) },
  );
}

async function hasFreeGpu(
  { offers }: Client,
  machineIds: readonly number[],
  rentalType: OfferSearch['rentalType'],
): Promise<boolean> {
  const filters = { machine_id: { in: machineIds }, rentable: { eq: true } };
  const { items, skipped } = await offers.search({ filters, rentalType, order: [], limit: 1 });
  return items.length > 0 || skipped > 0;
}

/** Where no GPU is free beside a volume, it can be cloned to another machine; the user sees the price first. */
async function askForTaken(
  client: Client,
  present: readonly Volume[],
  { volumeId, mountPath, name = '' }: VolumeChoice,
  found: FoundVolumes,
): Promise<FoundVolumes | undefined> {
  const source = present.find(({ id }) => id === volumeId);
  const leastSizeGb = Math.ceil(source?.sizeGb ?? 1);
  const { items } = await whileAsking(client.volumes.search({ leastSizeGb, isVerified: true, limit: 1 }));
  const rate = items[0]?.perGbMonth;
  const clone = async (): Promise<FoundVolumes | undefined> => {
    await runCommand('gpuRental.volume.clone', { volumeId });
    const before = new Set(present.map(({ id }) => id));
    const made = (await whileAsking(client.volumes.list())).items.find(
      ({ id, machineId }) => !before.has(id) && machineId !== undefined,
    );
    return (
      made && {
        volumes: [
          defined<VolumeChoice>({
            kind: 'link',
            volumeId: made.id,
            machineId: made.machineId,
            mountPath,
            name,
          }),
        ],
        machineIds: [made.machineId ?? 0],
        names: [name],
      }
    );
  };
  const answer = await choose<{ readonly found: FoundVolumes | undefined }>(
    {
      message: t('No GPU is free on the machine of the volume {0}.', name),
      detail:
        rate === undefined
          ? t('The service offers no place for a clone of {0} GB.', leastSizeGb)
          : t(
              'A clone of {0} GB on another machine costs from {1}, and the volume still costs {2}.',
              leastSizeGb,
              pricePerDay(perDay(diskRate(rate, leastSizeGb))),
              pricePerDay(source && volumePerDay(source)),
            ),
    },
    rate !== undefined && {
      label: labelOf('gpuRental.volume.clone'),
      run: async () => ({ found: await clone() }),
    },
    {
      label: t('Rent Without It'),
      run: () => ({ found: { ...found, machineIds: [], names: [] } }),
    },
  );
  return answer?.found;
}
