import type { Client } from '../../api/client';
import type { CommandId, InstanceTarget } from '../../commandSpecs';
import { allRows } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileReadingInstances } from '../../editor/progress';
import { pickMany, pickOne } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { actionsFor, stateLabel, stateOf, type InstanceActions } from '../../model/instances/instanceState';
import { NotSignedInError } from '../../shared/notSignedIn';
import { listedInstances } from '../../store/instances/listed';
import { UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import type { LifecycleDeps } from './deps';

/** The instance left the list between the click and the action. */
export class InstanceGoneError extends UserError {
  constructor(instanceId: number) {
    super(text('Instance #{0} is no longer in the list. Refresh the list.', instanceId), {
      nextStep: 'retry',
    });
  }
}

export function clientOf({ accounts }: LifecycleDeps): Client {
  if (!accounts.active) {
    throw new NotSignedInError();
  }
  return accounts.active.client;
}

/** Returns the instance that a command is for; `undefined` if there is none or the user picks none. */
export async function chooseOneInstance(
  deps: LifecycleDeps,
  target: InstanceTarget | undefined,
  action: keyof InstanceActions | undefined,
  command: CommandId,
): Promise<Instance | undefined> {
  const [instance] = await chooseInstances(deps, target, undefined, action, command, false);
  return instance;
}

/**
 * Returns the instances that a command is for: the selected rows, the row it was called on, or those that the user
 * picks. Instances in an unsuitable state are left out; a message appears if none is left.
 */
export async function chooseInstances(
  deps: LifecycleDeps,
  target: InstanceTarget | undefined,
  selected: readonly InstanceTarget[] | undefined,
  action: keyof InstanceActions | undefined,
  /** The command that asks; its title is that of the list. */
  command: CommandId,
  canPickMany = true,
): Promise<readonly Instance[]> {
  const none = () => {
    message('info', t('No instance is in the right state for “{0}”.', titleOf(command)));
    return [];
  };
  const listed = await listedInstances(deps.fleet, whileReadingInstances);
  const now = deps.clock.now();
  const isAble = (instance: Instance) =>
    action === undefined || actionsFor(instance, deps.fleet.facts(instance.id), now)[action];
  const given = [...new Set(allRows(target, selected).map(({ instanceId }) => instanceId))];
  if (given.length > 0) {
    const instances = given.map((id) => deps.fleet.find(id));
    const [only] = given;
    if (instances.every((one) => one === undefined) && only !== undefined) {
      throw new InstanceGoneError(only);
    }
    const able = instances.filter((one) => one !== undefined).filter(isAble);
    return able.length === 0 ? none() : able;
  }
  const candidates = listed.filter(isAble);
  if (candidates.length === 0) {
    return none();
  }
  return pick(deps, candidates, command, canPickMany);
}

async function pick(
  deps: LifecycleDeps,
  candidates: readonly Instance[],
  command: CommandId,
  canPickMany: boolean,
): Promise<readonly Instance[]> {
  const now = deps.clock.now();
  const rows = candidates.map((instance) => ({
    label: plainLabel(instanceName(instance)),
    description: localize(stateLabel(instance, stateOf(instance, deps.fleet.facts(instance.id), now))),
    detail: `#${instance.id}`,
    instance,
  }));
  const title = titleOf(command);
  if (!canPickMany) {
    const one = await pickOne(rows, { title, placeHolder: t('Which instance?') });
    return one ? [one.instance] : [];
  }
  const many = await pickMany(rows, { title, placeHolder: t('Which instances?') });
  return (many ?? []).map(({ instance }) => instance);
}
