import { runCommand } from '../../editor/commands';
import { t } from '../../editor/localize';
import { withCancellableProgress } from '../../editor/progress';
import type { Services } from '../../services';
import { orCancelled } from '../../util/cancellation';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import { chooseVolumes, idsIn, readAnew } from './chooseVolumes';

/** The offers of the machine that a volume is on, and the volume linked to what is rented there. */
export async function rentWithVolume(
  deps: Pick<Services, 'fleet' | 'volumes'>,
  target: unknown,
): Promise<void> {
  const all = await withCancellableProgress(t('Reading the volumes…'), (signal) =>
    orCancelled(readAnew(deps), signal),
  );
  const [volume] = await chooseVolumes(deps, all, idsIn(target, undefined), t('Rent with which volume?'));
  if (!volume) {
    return;
  }
  if (volume.machineId === undefined) {
    throw new UserError(text('The service does not say on which machine this volume is.'));
  }
  await runCommand('gpuRental.searchWith', {
    filters: {},
    volume: { id: volume.id, machineId: volume.machineId },
  });
}
