import { runCommand } from '../../../editor/commands';
import { confirm, type Question } from '../../../editor/confirm';
import { t } from '../../../editor/localize';
import { message } from '../../../editor/message';
import { stoppedCostPerDay } from '../../../model/instances/instanceCost';
import { instanceName } from '../../../model/instances/instanceLabel';
import { formatMoney } from '../../../model/money';
import { isForRental } from '../../model/request';
import type { Services } from '../../services';
import type { AgentInstance, AgentWatch } from './agentWatch';

interface Stoppable {
  readonly running: readonly AgentInstance[];
  readonly pending: number;
  /** The number of rentals without an answer so far. */
  readonly open: number;
}

/** Stops the instances that agents rented and declines their requests, after one question. Destroys nothing. */
export async function stopAllOfAgents(
  watch: AgentWatch,
  { accounts }: Pick<Services, 'accounts'>,
): Promise<void> {
  const accountKey = accounts.active?.key;
  const running = watch.instances.filter(({ canStop }) => canStop);
  const waiting = watch.pending;
  const open = watch.underWay.filter(isForRental).length;
  if (running.length + waiting.length === 0) {
    message(
      'info',
      open === 0
        ? t('No agent instance is running, and no request is waiting.')
        : t("An agent's rental has no answer yet. Try again when the instance is in the list."),
    );
    return;
  }
  if (!(await confirm(stopAllQuestion({ running, pending: waiting.length, open })))) {
    return;
  }
  // The question named instances of the account that was active then.
  if (accounts.active?.key !== accountKey) {
    message(
      'info',
      t('Nothing was done because the account was switched. Check the active account and try again.'),
    );
    return;
  }
  // Requests that arrived during the question are declined as well.
  for (const { id } of watch.pending) {
    await watch.desk?.answer(id, false);
  }
  if (running.length > 0) {
    await runCommand('gpuRental.instance.stopNow', {
      instanceIds: running.map(({ instance }) => instance.id),
    });
  }
}

function stopAllQuestion({ running, pending, open }: Stoppable): Question {
  const costs = running.map(({ instance }) => {
    const price = stoppedCostPerDay(instance);
    return price === undefined
      ? instanceName(instance)
      : t('{0}: storage costs {1}/day', instanceName(instance), formatMoney(price));
  });
  return {
    message: t('Stop everything that agents rented?'),
    detail: [
      ...(running.length === 0
        ? []
        : [t('Running processes stop. Storage is kept, and no data is destroyed.'), ...costs]),
      ...(pending === 0 ? [] : [t('Waiting requests that are declined: {0}', pending)]),
      ...(open === 0 ? [] : [t('Rentals with no answer yet that are not stopped: {0}', open)]),
    ].join('\n'),
    button: t('Stop All'),
    keep: t('Keep Running'),
  };
}
