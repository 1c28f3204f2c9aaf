import type { Client } from '../../api/client';
import { explainingIfLost } from '../../api/errors';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { whileSending } from '../../editor/progress';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import type { Services } from '../../services';
import type { Account } from '../../store/accounts/accounts';
import { wait } from '../../util/clock';
import { isCancelled } from '../../util/errors';
import { text } from '../../util/text';

export interface CopyUseDeps extends Pick<Services, 'clock' | 'fleet' | 'log' | 'presence' | 'ssh'> {
  /** Aborted when the window closes. */
  readonly closed: AbortSignal;
}

export type DataCopyDeps = CopyUseDeps & Pick<Services, 'accounts' | 'volumes'>;

/** The status of a copy appears late, and lists arrive every five minutes in the background (ms). */
const restMs = 10 * 60_000;
const checkMs = 60_000;
/** A host writes the status, and one that never rests must not keep a machine from its schedule (ms). */
const longestMs = 24 * 3_600_000;

/**
 * Counts the machines of a copy as in use from now on until its status rests. The service copies without a login, so
 * nothing else shows the work, and a schedule for idle time would end a machine in the middle. `sentBy` is the instance
 * whose status shows the copy.
 */
export function holdForCopy(
  deps: CopyUseDeps,
  copy: { readonly account: Account; readonly machines: readonly number[]; readonly sentBy: number },
): void {
  const { log, presence, ssh } = deps;
  const during = copy.machines.reduce(
    (work, id) => () => presence.during(ssh.aliasOf(copy.account, id), work),
    () => untilStatusRests(deps, copy.sentBy),
  );
  during().catch((error: unknown) => {
    if (!isCancelled(error)) {
      log.error('The machines of a copy no longer count as in use', error);
    }
  });
}

async function untilStatusRests({ clock, fleet, closed }: CopyUseDeps, id: number): Promise<void> {
  const status = () => fleet.find(id)?.statusMessage;
  let last = status();
  const since = clock.elapsed();
  for (let restedMs = 0; restedMs < restMs && clock.elapsed() - since < longestMs;) {
    await wait(clock, checkMs, closed);
    const now = status();
    restedMs = now === last ? restedMs + checkMs : 0;
    last = now;
  }
}

/** Ends all copies to these instances; the service knows a copy by its target alone. */
export async function cancelCopies(client: Client, targets: readonly Instance[]): Promise<void> {
  const names = targets.map(instanceName).join(', ');
  await whileSending(
    explainingIfLost(
      text('The service did not answer, so the copies to {0} may continue. Check its status.', names),
      () => Promise.all(targets.map(({ id }) => client.copies.cancel(id))),
    ),
  );
  message('info', t('The copies to {0} were canceled. Files that arrived are kept.', names));
}
