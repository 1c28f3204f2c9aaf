import * as vscode from 'vscode';
import type { Client } from '../../api/client';
import { confirm } from '../../editor/confirm';
import { withCancellableProgress } from '../../editor/progress';
import { isAttached, volumeName, type Volume } from '../../model/volume';
import type { Services } from '../../services';
import { NotSignedInError } from '../../store/accounts/accountErrors';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import { chooseVolumes, idsIn, readAnew } from './chooseVolumes';
import { attachedNames, costText, sizeText } from './volumeGroup';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'volumes' | 'report' | 'log'>;

/** Deletes volumes after a question; those in use are refused, as the service would. */
export async function deleteVolumes(deps: Deps, target: unknown, selected: unknown): Promise<void> {
  const client = deps.accounts.active?.client;
  if (!client) {
    throw new NotSignedInError();
  }
  // What is attached decides, so it is read anew.
  const all = await withCancellableProgress(vscode.l10n.t('Reading the volumes…'), () => readAnew(deps));
  const chosen = await chooseVolumes(
    deps,
    all,
    idsIn(target, selected),
    vscode.l10n.t('Delete which volume?'),
  );
  const used = chosen.find(isAttached);
  if (used) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t(
        'Destroy {1} first: the volume {0} is in use there.',
        volumeName(used),
        attachedNames(deps, used),
      ),
    );
    return;
  }
  if (chosen.length === 0 || !(await confirmDeletion(chosen))) {
    return;
  }
  const deleted = await withCancellableProgress(vscode.l10n.t('Deleting…'), (signal) =>
    removeEach(deps, client, chosen, signal),
  );
  tell(deleted);
}

async function confirmDeletion(volumes: readonly Volume[]): Promise<boolean> {
  const [only] = volumes;
  const listed = volumes.map(
    (volume) =>
      `• ${[volumeName(volume), sizeText(volume), costText(volume)].filter((part) => part !== '').join(' · ')}`,
  );
  return confirm({
    message:
      volumes.length === 1 && only
        ? vscode.l10n.t('Delete the volume {0}?', volumeName(only))
        : vscode.l10n.t('Delete {0} volumes?', volumes.length),
    detail: [
      vscode.l10n.t('Everything on it is lost for good. This cannot be undone. Afterwards it costs nothing.'),
      '',
      ...listed,
    ].join('\n'),
    button: vscode.l10n.t('Delete'),
  });
}

/** One after the other; each is told to be deleted only once the service lists it no more. */
async function removeEach(
  deps: Deps,
  client: Client,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<readonly Volume[]> {
  const sent = new Map<Volume, unknown>();
  for (const volume of volumes) {
    if (!signal.aborted) {
      sent.set(volume, await failureOf(client.volumes.remove(volume.id)));
    }
  }
  // Of the account that they are of, whichever is active by now; a record that is not understood may be one of them.
  const { items, skipped } = await client.volumes.list();
  const left = new Set(items.map(({ id }) => id));
  const isLeft = ({ id }: Volume, error: unknown) => left.has(id) || (error !== undefined && skipped > 0);
  for (const [volume, error] of sent) {
    if (isLeft(volume, error)) {
      deps.report.error(error ?? new NotDeletedError(volume));
    }
  }
  void deps.volumes.refresh().catch((error: unknown) => {
    deps.log.warn(`The volumes could not be read after deleting: ${String(error)}`);
  });
  return [...sent].filter(([volume, error]) => !isLeft(volume, error)).map(([volume]) => volume);
}

function failureOf(work: Promise<void>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

class NotDeletedError extends UserError {
  constructor(volume: Volume) {
    super(
      text(
        'The volume {0} is still in the list of the service and goes on costing. Try again in half a minute.',
        volumeName(volume),
      ),
    );
  }
}

function tell(deleted: readonly Volume[]): void {
  const [only] = deleted;
  if (only) {
    void vscode.window.showInformationMessage(
      deleted.length === 1
        ? vscode.l10n.t('The volume {0} is deleted: the service does not list it any more.', volumeName(only))
        : vscode.l10n.t('{0} volumes are deleted: the service does not list them any more.', deleted.length),
    );
  }
}
