import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { pickMany, plainLabel } from '../../editor/quickPick';
import { plain } from '../../model/instances/instanceState';
import { durationText } from '../../util/duration';
import type { ReadinessDeps } from './deps';

/** Lets the user allow failed machines as replacements again; until then they are avoided. */
export async function forgetFailedMachines({ failedMachines, clock }: ReadinessDeps): Promise<void> {
  const machines = await failedMachines.list();
  if (machines.length === 0) {
    message('info', t('No failed machines are remembered.'));
    return;
  }
  const rows = machines.map(({ machineId, at, reason }) => ({
    label: t('Machine {0}', machineId),
    description: t('{0} ago', localize(durationText(clock.now() - at))),
    detail: plainLabel(plain(reason)).slice(0, 200),
    picked: true,
    machineId,
  }));
  const chosen = await pickMany(rows, {
    title: t('Forget Failed Machines'),
    placeHolder: t('Which ones may be rented as a replacement again?'),
  });
  for (const { machineId } of chosen ?? []) {
    await failedMachines.forget(machineId);
  }
}
