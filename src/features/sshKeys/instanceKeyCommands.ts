import * as vscode from 'vscode';
import type { CommandId, InstanceKeyTarget, InstanceTarget } from '../../commandSpecs';
import { chooseInstance } from '../../editor/chooseInstance';
import { titledAction } from '../../editor/commands';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileAsking, whileReadingInstances, whileSending } from '../../editor/progress';
import { titleOf } from '../../editor/titles';
import type { Services } from '../../services';
import { sameKey } from '../../ssh/publicKey';
import { listedInstances } from '../../store/instances/listed';
import { takeKeyBack } from '../../store/instances/takeKeyBack';
import { readAfter } from '../../store/readAfter';
import type { InstanceKeyRows } from './instanceKeyRows';
import { keyClient } from './keyClient';
import { pickKey, pickListed } from './keyPicker';
import { keyName } from './keyText';

export type InstanceKeyDeps = Pick<
  Services,
  'accounts' | 'attachedKeys' | 'fleet' | 'rentals' | 'sharedAccess' | 'ssh' | 'redactor'
>;

/** Attaches a key to an instance, running or not. Returns true if it was attached (docs/service/ssh-keys.md#attach). */
export async function attachKey(
  deps: InstanceKeyDeps,
  rows: InstanceKeyRows,
  target: InstanceTarget | undefined,
): Promise<boolean> {
  const client = keyClient(deps);
  const instanceId = await chooseForKeys(deps, target, 'gpuRental.instance.attachKey');
  if (instanceId === undefined) {
    return false;
  }
  const { items } = await whileAsking(client().instances.keys(instanceId));
  const choice = await pickKey(
    deps,
    {
      title: titleOf('gpuRental.instance.attachKey'),
      placeholder: t('Which key should the instance accept?'),
    },
    (key) => items.some((item) => sameKey(item.publicKey, key.line)),
  );
  if (choice?.kind !== 'key') {
    return false;
  }
  const attached = whileSending(client().instances.attachKey(instanceId, choice.line));
  await readAfter(attached, () => rows.refresh(instanceId));
  deps.attachedKeys.add(instanceId);
  vscode.window.setStatusBarMessage(t('SSH key attached'), 4_000);
  return true;
}

/** Detaches a key from one instance after a confirmation. */
export async function detachKey(
  deps: InstanceKeyDeps,
  rows: InstanceKeyRows,
  target: InstanceKeyTarget | undefined,
): Promise<void> {
  const client = keyClient(deps);
  const accountKey = deps.accounts.active?.key;
  const instanceId = await choose(deps, target, 'gpuRental.instance.detachKey');
  if (instanceId === undefined) {
    return;
  }
  const { items, skipped } = await whileAsking(client().instances.keys(instanceId));
  const key =
    items.find(({ id }) => id === target?.keyId) ?? (await pickListed(items, 'gpuRental.instance.detachKey'));
  if (!key) {
    return;
  }
  if (
    await confirm({
      message: t('Detach the SSH key “{0}” from the instance?', keyName(key.publicKey, key.name)),
      detail:
        items.length === 1 && skipped === 0
          ? t('It is the only key on the instance, so you will no longer be able to log in.')
          : t('The instance will refuse logins with this key.'),
      button: titleOf('gpuRental.instance.detachKey'),
    })
  ) {
    const isIt = (line: string) => line === key.publicKey || sameKey(line, key.publicKey);
    const detached = whileSending(takeKeyBack(client().instances, instanceId, isIt));
    await readAfter(detached, () => rows.refresh(instanceId));
    const shared = deps.sharedAccess.find(instanceId, key.publicKey);
    if (shared && accountKey !== undefined) {
      await deps.sharedAccess.forget(accountKey, shared.id);
    }
    vscode.window.setStatusBarMessage(t('SSH key detached'), 4_000);
  }
}

/** Returns the instance whose keys are changed; shows why it can't get another one. */
export async function chooseForKeys(
  deps: InstanceKeyDeps,
  target: InstanceTarget | undefined,
  command: CommandId,
): Promise<number | undefined> {
  const instanceId = await choose(deps, target, command);
  // The list of instances does not mark virtual machines, so only those rented on this computer are known.
  if (instanceId !== undefined && deps.rentals.find(instanceId)?.config.vm === true) {
    message(
      'warning',
      t(
        'A virtual machine accepts only the SSH keys that your account had when it was rented. Register your key, then rent another one.',
      ),
      titledAction('gpuRental.sshKey.add'),
      titledAction('gpuRental.instance.rentAnother', { instanceId }),
    );
    return undefined;
  }
  return instanceId;
}

function choose(
  { fleet }: InstanceKeyDeps,
  target: InstanceTarget | undefined,
  command: CommandId,
): Promise<number | undefined> {
  return chooseInstance(
    target,
    () => listedInstances(fleet, whileReadingInstances),
    command,
    t('You have no instances.'),
  );
}
