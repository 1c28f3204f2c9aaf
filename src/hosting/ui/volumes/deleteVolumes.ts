import type { VolumeTarget } from '../../../commandSpecs';
import { confirm } from '../../../editor/confirm';
import { t } from '../../../editor/localize';
import { message } from '../../../editor/message';
import { withCancellableProgress } from '../../../editor/progress';
import { isAttached, volumeName, type Volume } from '../../../model/volume';
import type { Services } from '../../../services';
import { NotSignedInError } from '../../../shared/notSignedIn';
import { orCancelled } from '../../../util/cancellation';
import { chooseVolumes, readAnew } from './chooseVolumes';
import { removeVolumes } from './removeVolumes';
import { attachedNames, costText, sizeText } from './volumeGroup';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'volumes' | 'report' | 'log'>;

/** Deletes volumes after a confirmation. Refuses volumes in use, as the service would. */
export async function deleteVolumes(deps: Deps, targets: readonly VolumeTarget[]): Promise<void> {
  // Refresh first, because only unattached volumes can be deleted.
  const all = await withCancellableProgress(t('Waiting for the service…'), (signal) =>
    orCancelled(readAnew(deps), signal),
  );
  // Keep the client of the account whose list was read. Another account may become active before the user confirms.
  const client = deps.accounts.active?.client;
  if (!client) {
    throw new NotSignedInError();
  }
  const chosen = await chooseVolumes(deps, all, targets, 'gpuRental.volume.delete');
  const used = chosen.find(isAttached);
  if (used) {
    const names = attachedNames(deps, used);
    message(
      'warning',
      names === ''
        ? t('The service has not freed the volume {0} yet. Try again in half a minute.', volumeName(used))
        : t('Destroy {1} first: the volume {0} is in use there.', volumeName(used), names),
    );
    return;
  }
  if (chosen.length === 0 || !(await confirmDeletion(chosen))) {
    return;
  }
  const { deleted, problems } = await withCancellableProgress(t('Deleting {0}…', namesOf(chosen)), (signal) =>
    removeVolumes(client, chosen, signal),
  );
  for (const problem of problems) {
    deps.report.error(problem);
  }
  void deps.volumes.refresh().catch((error: unknown) => {
    deps.log.warn(`The volumes could not be read after deleting: ${String(error)}`);
  });
  showDeleted(deleted);
}

async function confirmDeletion(volumes: readonly Volume[]): Promise<boolean> {
  const listed = volumes.map(
    (volume) =>
      `• ${[volumeName(volume), sizeText(volume), costText(volume)].filter((part) => part !== '').join(' · ')}`,
  );
  return confirm({
    message: t('Delete {0}?', namesOf(volumes)),
    detail: [
      t("All data is lost, and storage no longer costs anything. This can't be undone."),
      '',
      ...listed,
    ].join('\n'),
    button: t('Delete'),
  });
}

function showDeleted(deleted: readonly Volume[]): void {
  if (deleted.length > 0) {
    message('info', t('Deleted, and no longer listed by the service: {0}', namesOf(deleted)));
  }
}

function namesOf(volumes: readonly Volume[]): string {
  return volumes.map(volumeName).join(', ');
}
