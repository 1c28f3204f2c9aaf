import type { CommandId, VolumeTarget } from '../../../commandSpecs';
import { t } from '../../../editor/localize';
import { message } from '../../../editor/message';
import { pickOne } from '../../../editor/quickPick';
import { titleOf } from '../../../editor/titles';
import { volumeName, type Volume } from '../../../model/volume';
import type { Services } from '../../../services';
import { UserError } from '../../../util/errors';
import { plainLabel } from '../../../util/plainLabel';
import { text } from '../../../util/text';
import { attachedText, costText, sizeText } from './volumeGroup';

type Deps = Pick<Services, 'fleet' | 'volumes'>;

/** Refreshes the volumes and returns them. Rejects if they can't be read. */
export async function readAnew({ volumes }: Deps): Promise<readonly Volume[]> {
  await volumes.refresh();
  return volumes.state.kind === 'ready' ? volumes.state.value : [];
}

/** Returns the volumes of the targets, or the one that the user picks if there are no targets. */
export async function chooseVolumes(
  deps: Deps,
  all: readonly Volume[],
  targets: readonly VolumeTarget[],
  command: CommandId,
): Promise<readonly Volume[]> {
  if (targets.length > 0) {
    const given = all.filter(({ id }) => targets.some(({ volumeId }) => volumeId === id));
    if (given.length === 0) {
      throw new UserError(text('This no longer exists. Refresh the list.'));
    }
    return given;
  }
  if (all.length === 0) {
    message('info', t('You have no volumes.'));
    return [];
  }
  const rows = all.map((volume) => ({
    label: plainLabel(volumeName(volume)),
    description: [sizeText(volume), costText(volume), attachedText(deps, volume)]
      .filter((part) => part !== '')
      .join(' · '),
    volume,
  }));
  const picked = await pickOne(rows, { title: titleOf(command) });
  return picked ? [picked.volume] : [];
}
