import type { Client } from '../../api/client';
import type { InstanceTarget } from '../../commandSpecs';
import { allRows } from '../../editor/commands';
import { localize } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileReadingInstances } from '../../editor/progress';
import { pickMany, pickOne } from '../../editor/quickPick';
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

export interface TargetTexts {
  readonly title: string;
  /** The message if no instance is in a suitable state. */
  readonly none: string;
  readonly canPickMany: boolean;
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
  texts: Omit<TargetTexts, 'canPickMany'>,
): Promise<Instance | undefined> {
  const oneOnly = { ...texts, canPickMany: false };
  const [instance] = await chooseInstances(deps, target, undefined, action, oneOnly);
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
  texts: TargetTexts,
): Promise<readonly Instance[]> {
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
    if (able.length === 0) {
      message('info', texts.none);
    }
    return able;
  }
  const candidates = listed.filter(isAble);
  if (candidates.length === 0) {
    message('info', texts.none);
    return [];
  }
  return pick(deps, candidates, texts);
}

async function pick(
  deps: LifecycleDeps,
  candidates: readonly Instance[],
  texts: TargetTexts,
): Promise<readonly Instance[]> {
  const now = deps.clock.now();
  const rows = candidates.map((instance) => ({
    label: plainLabel(instanceName(instance)),
    description: localize(stateLabel(instance, stateOf(instance, deps.fleet.facts(instance.id), now))),
    detail: `#${instance.id}`,
    instance,
  }));
  const options = { title: texts.title };
  if (!texts.canPickMany) {
    const one = await pickOne(rows, options);
    return one ? [one.instance] : [];
  }
  const many = await pickMany(rows, options);
  return (many ?? []).map(({ instance }) => instance);
}
