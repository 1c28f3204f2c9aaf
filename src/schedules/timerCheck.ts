import { printedLog } from '../instanceKeys';
import type { Instance } from '../model/instances/instance';
import { aliasOf } from '../ssh/alias';
import type { SshService } from '../ssh/service';
import type { Account } from '../store/accounts/accounts';
import type { Log } from '../util/log';
import { checkTimer } from './machine/machineTimer';
import type { ArmedTimer, Schedule } from './model/schedule';
import type { TimerProof } from './store/timerProofs';

interface Deps {
  readonly ssh: Pick<SshService, 'entry' | 'exec' | 'prepare'>;
  readonly log: Log;
}

/** Checks a timer without questions or messages, and only if this computer has logged in to its machine before. */
export async function proveTimer(
  { ssh, log: ownLog }: Deps,
  account: Account,
  instance: Instance,
  { action, term }: Schedule,
  { token }: ArmedTimer,
): Promise<TimerProof> {
  const { id: instanceId } = instance;
  if (!(await ssh.entry(aliasOf(account, instanceId)))) {
    return 'nothing';
  }
  const log = printedLog(account.client, instanceId, { isUnasked: true });
  const { alias } = await ssh.prepare({ account, instanceId, instance, registeredKeys: undefined, log });
  const order = { serviceUrl: account.serviceUrl, instanceId, action, seconds: 0, token, mode: term.kind };
  const { kind } = await checkTimer(ssh, alias, order);
  ownLog.info(`The check of the timer on ${instanceId} says: ${kind}`);
  // Other problems may resolve before its time.
  return kind === 'armed' ? 'armed' : kind === 'notAlive' ? 'gone' : 'nothing';
}
