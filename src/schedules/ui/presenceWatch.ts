import * as vscode from 'vscode';
import { sshAuthority } from '../../editor/remoteAuthority';
import { aliasInArguments, hostInAuthority } from '../../ssh/alias';
import { isAtWork, machineOf, waitsForYou, type JobRow } from '../../jobs/model/job';
import { watchAccounts } from '../../shared/followAccount';
import { DisposableStore, type Disposable } from '../../util/disposable';
import type { LeaseDeps } from './deps';

type Deps = Pick<LeaseDeps, 'accounts' | 'jobs' | 'presence' | 'ssh'>;

/** Reports the uses of instances: the remote connection and the terminals of this window, and jobs. */
export function watchPresence({ accounts, jobs, presence, ssh }: Deps): Disposable {
  const store = new DisposableStore();
  const look = () => {
    const host = hostInAuthority(sshAuthority());
    presence.set('window', host ? [host.alias] : []);
    presence.set('terminal', vscode.window.terminals.flatMap(aliasOfTerminal));
  };
  store.add(vscode.window.onDidOpenTerminal(look));
  store.add(vscode.window.onDidCloseTerminal(look));
  store.add(vscode.workspace.onDidChangeWorkspaceFolders(look));
  look();
  const lookAtJobs = () => {
    const account = accounts.active;
    const ids = jobs.rows.filter(usesMachine).flatMap((row) => machineOf(row).instanceId ?? []);
    presence.set('job', account ? [...new Set(ids)].map((id) => ssh.aliasOf(account, id)) : []);
  };
  store.add(jobs.onDidChange(lookAtJobs));
  store.add(watchAccounts(accounts, lookAtJobs));
  return store;
}

/** Returns whether a job runs on its machine or brings its outputs; one that waits for the user uses nothing. */
function usesMachine(row: JobRow): boolean {
  const { phase, trouble } = row.state;
  const isWaiting = trouble !== undefined && waitsForYou(trouble.kind);
  return isAtWork(row) || (phase === 'fetching' && !isWaiting);
}

function aliasOfTerminal({ creationOptions, exitStatus }: vscode.Terminal): string | [] {
  const alias = 'shellArgs' in creationOptions ? aliasInArguments(creationOptions.shellArgs) : undefined;
  return alias !== undefined && exitStatus === undefined ? alias : [];
}
