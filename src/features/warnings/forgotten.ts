import * as z from 'zod';
import { titledAction } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { pricePerHour } from '../../editor/priceText';
import { instanceName } from '../../model/instances/instanceLabel';
import { costPerHour, isReady, stateOf } from '../../model/instances/instanceState';
import { forgottenSince } from '../../model/instances/warnings';
import type { Services } from '../../services';
import { durationText } from '../../util/duration';
import { plainLabel } from '../../util/plainLabel';

export type ForgottenDeps = Pick<
  Services,
  'accounts' | 'fleet' | 'idle' | 'presence' | 'work' | 'notices' | 'settings' | 'clock'
>;

export const forgottenKind = 'forgotten';
export const forgottenShape = z.object({
  instanceId: z.number(),
  since: z.number(),
  knowsGpu: z.boolean(),
});

/** Posts a notice for each running instance that was idle for too long. Runs in the leading window. */
export function postForgotten(deps: ForgottenDeps): void {
  const { accounts, fleet, idle, presence, work, notices, settings, clock } = deps;
  const account = accounts.active;
  const { state } = fleet;
  if (!account || state.kind !== 'ready' || state.error !== undefined || !presence.isComplete) {
    return;
  }
  // Read outside the loop, because reading a setting is slow.
  const idleHours = settings.get('gpuRental.warn.idleHours');
  for (const { id } of state.value.instances) {
    const facts = idle.facts(id);
    const since = facts && forgottenSince(facts, idleHours, clock.now());
    if (since !== undefined && !work.endsInstance(id)) {
      const key = `${account.key}:warning:forgotten:${id}:${since}`;
      const data = { instanceId: id, since, knowsGpu: facts?.knowsGpu === true };
      notices.post({ key, accountKey: account.key, kind: forgottenKind, data });
    }
  }
}

export function warnForgotten(
  { fleet, clock }: ForgottenDeps,
  { instanceId, since, knowsGpu }: z.infer<typeof forgottenShape>,
): void {
  const instance = fleet.find(instanceId);
  const kind = instance && stateOf(instance, fleet.facts(instanceId), clock.now());
  if (!instance || !kind || !isReady(kind)) {
    return;
  }
  const name = plainLabel(instanceName(instance));
  const span = localize(durationText(clock.now() - since));
  const price = pricePerHour(costPerHour(instance, kind));
  message(
    'warning',
    knowsGpu
      ? t(
          '{0} has been idle for {1}: no connection from GPU Rental on this computer, and GPU use under 5 % at each check. It costs {2}.',
          name,
          span,
          price,
        )
      : t(
          '{0} has had no connection from GPU Rental on this computer for {1}, and its GPU use is not reported. It costs {2}.',
          name,
          span,
          price,
        ),
    titledAction('gpuRental.instance.stop', { instanceId }),
    titledAction('gpuRental.instance.setSchedule', { instanceId }),
    titledAction('gpuRental.instance.destroy', { instanceId }),
  );
}
