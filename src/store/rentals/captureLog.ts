import type { Clock } from '../../util/clock';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';
import type { Account } from '../accounts/accounts';

const logLines = 1000;

/** Saves the log, without waiting long for it. */
export async function captureLog(
  deps: { readonly clock: Clock; readonly log: Log },
  account: Account,
  instanceId: number,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const abort = new AbortController();
  const timer = deps.clock.schedule(() => abort.abort(), 10_000);
  const signals = signal ? [signal, abort.signal] : [abort.signal];
  try {
    return await account.client.instances.logs(
      instanceId,
      { tail: logLines },
      { signal: AbortSignal.any(signals) },
    );
  } catch (error) {
    if (!isCancelled(error)) {
      deps.log.warn(`The log of ${instanceId} could not be saved: ${String(error)}`);
    }
    return undefined;
  } finally {
    timer.dispose();
  }
}
