import * as vscode from 'vscode';
import { sshAuthority } from '../../editor/remoteAuthority';
import { aliasInArguments, hostInAuthority } from '../../ssh/alias';
import { DisposableStore, type Disposable } from '../../util/disposable';
import type { ScheduleDeps } from './deps';

/** Reports the uses of instances by this window: its remote connection and its terminals. */
export function watchPresence({ presence }: Pick<ScheduleDeps, 'presence'>): Disposable {
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
  return store;
}

function aliasOfTerminal({ creationOptions, exitStatus }: vscode.Terminal): string | [] {
  const alias = 'shellArgs' in creationOptions ? aliasInArguments(creationOptions.shellArgs) : undefined;
  return alias !== undefined && exitStatus === undefined ? alias : [];
}
