import type { InstanceTarget } from '../../commandArguments';
import { chooseInstance } from '../../editor/chooseInstance';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileReadingInstances, withCancellableProgress } from '../../editor/progress';
import { instanceName } from '../../model/instances/instanceLabel';
import { actionsFor } from '../../model/instances/instanceState';
import { overResult, type CheckResult } from '../../model/rentals/machineCheck';
import { checkTexts, notCheckedText } from '../../model/rentals/machineCheckText';
import { accountFor } from '../../store/accounts/sameAccount';
import { listedInstances } from '../../store/instances/listed';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import type { CheckMessages } from './checkMessages';
import type { ReadinessDeps } from './deps';

/** Checks a running machine again, because the user asked for it. */
export async function checkMachine(
  deps: ReadinessDeps,
  messages: CheckMessages,
  target: InstanceTarget | undefined,
): Promise<void> {
  const { fleet, clock, startWatches, machineChecks } = deps;
  const account = accountFor(deps.accounts);
  const listed = await listedInstances(fleet, whileReadingInstances);
  const candidates = listed.filter((one) => actionsFor(one, fleet.facts(one.id), clock.now()).canConnect);
  const instanceId = await chooseInstance(target, candidates, {
    title: t('Check which instance?'),
    none: t('You have no running instance to check.'),
  });
  const instance = listed.find(({ id }) => id === instanceId);
  if (instanceId === undefined) {
    return;
  }
  if (!instance) {
    throw new UserError(text('Instance #{0} is no longer in the list. Refresh the list.', instanceId), {
      nextStep: 'retry',
    });
  }
  const name = instanceName(instance);
  const known = startWatches.watches.find((one) => one.instanceId === instance.id)?.check;
  if (known) {
    const stage = checkTexts(known, clock.now()).map(localize).join(' · ');
    message('info', t('{0} is already being checked: {1}', name, stage));
    return;
  }
  await deps.sshConsent.ask();
  account();
  const check = await withCancellableProgress(t('Checking {0}', name), (signal, say) =>
    look(deps, instance.id, say, signal),
  );
  account();
  await machineChecks.keep(instance.id, check);
  if (check.kind === 'notChecked') {
    message('warning', t('{0}: {1}', name, notCheckedText(check.reason, check.detail)));
    return;
  }
  await messages.show(instance.id, name, check, t('{0} passed the check.', name));
}

async function look(
  { machineChecks }: ReadinessDeps,
  instanceId: number,
  say: (message: string) => void,
  signal: AbortSignal,
): Promise<CheckResult> {
  const onStage = () => {
    say(t('checking its GPUs…'));
  };
  const answer = await machineChecks.look(instanceId, onStage, signal);
  return answer.kind === 'waits' ? overResult(answer) : answer;
}
