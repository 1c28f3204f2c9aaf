import { orCancelled } from '../util/cancellation';
import { inParallel } from '../util/inParallel';
import { runCommand } from './commands';
import { t } from './localize';
import { withCancellableProgress } from './progress';

/** Logins at a time; more would exceed the limit of a shared proxy server. */
export const loginsAtOnce = 8;

/** Logs in to several instances. Returns why no login works, by the numbers of the instances that let nothing in. */
export async function problemsOfSeveral(
  instanceIds: readonly number[],
  accountKey: string,
): Promise<ReadonlyMap<number, string>> {
  const problems = new Map<number, string>();
  let done = 0;
  await withCancellableProgress(t('Logging in…'), (signal, report) =>
    inParallel(instanceIds, loginsAtOnce, async (instanceId) => {
      const answer = await reachOneOf(instanceId, accountKey, signal);
      if ('problem' in answer) {
        problems.set(instanceId, answer.problem);
      }
      done += 1;
      report(t('{0} of {1} done', done, instanceIds.length));
    }),
  );
  return problems;
}

/** Returns the alias of one of several instances, or why no login works. *Cancel* ends the waiting alone. */
export async function reachOneOf(
  instanceId: number,
  accountKey: string,
  signal: AbortSignal,
): Promise<{ readonly alias: string } | { readonly problem: string }> {
  const work = runCommand('gpuRental.prepareSshOfSeveral', { instanceId, accountKey });
  const answer = await orCancelled(Promise.resolve(work), signal);
  return answer ?? { problem: t('could not log in') };
}
