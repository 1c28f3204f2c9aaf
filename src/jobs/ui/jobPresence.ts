import { watchAccounts } from '../../shared/followAccount';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { isAtWork, machineOf, waitsForYou, type JobRow } from '../model/job';
import type { Services } from '../services';

/** Reports the instances that jobs use. */
export function reportPresence({
  accounts,
  jobs,
  presence,
  ssh,
}: Pick<Services, 'accounts' | 'jobs' | 'presence' | 'ssh'>): Disposable {
  const store = new DisposableStore();
  const update = () => {
    const account = accounts.active;
    const ids = jobs.rows.filter(usesMachine).flatMap((row) => machineOf(row).instanceId ?? []);
    presence.set('job', account ? [...new Set(ids)].map((id) => ssh.aliasOf(account, id)) : []);
  };
  store.add(jobs.onDidChange(update));
  store.add(watchAccounts(accounts, update));
  return store;
}

/** Returns whether a job runs on its machine or brings its outputs; one that waits for the user uses nothing. */
function usesMachine(row: JobRow): boolean {
  const { phase, trouble } = row.state;
  const isWaiting = trouble !== undefined && waitsForYou(trouble.kind);
  return isAtWork(row) || (phase === 'fetching' && !isWaiting);
}
