import type { Client } from '../../../api/client';
import { choose } from '../../../editor/confirm';
import { t } from '../../../editor/localize';
import { whileAsking } from '../../../editor/progress';
import type { VolumeChoice } from '../../../model/rentals/rent';
import type { DraftWorkspace } from '../../../model/rentals/rentDraft';
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
  now: number,
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
    const names = there.flatMap(({ name }) => name ?? []);
    return { volumes, machineIds: [...new Set(machineIds)], names: [...new Set(names)] };
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
