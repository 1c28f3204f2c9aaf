import * as vscode from 'vscode';
import type { CommandId, InstanceTarget } from '../commandSpecs';
import type { Instance } from '../model/instances/instance';
import { instanceName } from '../model/instances/instanceLabel';
import { plainLabel } from '../util/plainLabel';
import { t } from './localize';
import { type Action, message } from './message';
import { pickOne } from './quickPick';
import { titleOf } from './titles';

/** Returns a button that shows the instances view. */
export function showInstances(): Action {
  return {
    label: t('Show Instances'),
    run: () => vscode.commands.executeCommand('gpuRental.instances.focus'),
  };
}

/**
 * Returns the instance for a command: the given one, the only one, or the one that the user picks. Returns `undefined`
 * if the user picks none, or after a message if there is none. Rejects if the list can't be read, because that does not
 * mean "none".
 */
export async function chooseInstance(
  target: InstanceTarget | undefined,
  listed: readonly Instance[] | (() => Promise<readonly Instance[]>),
  /** The command that asks; its title is that of the list. */
  command: CommandId,
  none = t('This needs a running instance.'),
): Promise<number | undefined> {
  if (target) {
    return target.instanceId;
  }
  const candidates = typeof listed === 'function' ? await listed() : listed;
  if (candidates.length === 0) {
    message('info', none, showInstances());
    return undefined;
  }
  const rows = candidates.map((instance) => ({
    label: plainLabel(instanceName(instance)),
    description: `#${instance.id}`,
    instanceId: instance.id,
  }));
  if (rows.length === 1) {
    return rows[0]?.instanceId;
  }
  const picked = await pickOne(rows, {
    title: titleOf(command),
    placeHolder: t('Which instance?'),
  });
  return picked?.instanceId;
}
