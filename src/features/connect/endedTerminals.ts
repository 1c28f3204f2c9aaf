import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import { instanceName } from '../../model/instances/instanceLabel';
import type { OwnRequest } from '../../model/instances/instanceState';
import type { Services } from '../../services';
import { aliasInArguments, aliasOf } from '../../ssh/alias';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { plainLabel } from '../../util/plainLabel';
import { StandIn } from './standIn';

type Deps = Pick<Services, 'accounts' | 'clock' | 'fleet'>;

/**
 * Ends our terminals on a machine that is about to stop, in all windows, and leaves the reason in their place.
 * Otherwise the editor would report the lost session as an error of its program.
 */
export function endTerminals(deps: Deps): Disposable {
  const store = new DisposableStore();
  const openedAt = new Map<vscode.Terminal, number>();
  store.add(
    vscode.window.onDidOpenTerminal((terminal) => {
      openedAt.set(terminal, deps.clock.now());
    }),
  );
  store.add(
    vscode.window.onDidCloseTerminal((terminal) => {
      openedAt.delete(terminal);
    }),
  );
  store.add(
    deps.fleet.onDidChange(() => {
      for (const [terminal, at] of openedAt) {
        const ended = endOf(deps, terminal, at);
        if (ended !== undefined) {
          // The editor reports it as closed some time later.
          openedAt.delete(terminal);
          replace(terminal, ended);
        }
      }
    }),
  );
  return store;
}

/** Returns why the session of a terminal ends; `undefined` if it continues. */
function endOf({ accounts, fleet }: Deps, terminal: vscode.Terminal, openedAt: number): string | undefined {
  const { creationOptions } = terminal;
  const alias = 'shellArgs' in creationOptions ? aliasInArguments(creationOptions.shellArgs) : undefined;
  const account = accounts.active;
  const { state } = fleet;
  if (alias === undefined || !account || state.kind !== 'ready') {
    return undefined;
  }
  const instance = state.value.instances.find(({ id }) => aliasOf(account, id) === alias);
  const request = instance && fleet.facts(instance.id).lastRequest;
  // A terminal that was opened since then is on the machine as it is now.
  return instance && request?.isAccepted === true && request.at >= openedAt
    ? endText(request.kind, plainLabel(instanceName(instance)))
    : undefined;
}

function endText(kind: OwnRequest['kind'], name: string): string | undefined {
  switch (kind) {
    case 'start':
      return undefined;
    case 'stop':
      return t('“{0}” is being stopped. This session has ended.', name);
    case 'reboot':
      return t('“{0}” is rebooting. This session has ended.', name);
    case 'recycle':
      return t('The container of “{0}” is being recreated. This session has ended.', name);
    case 'destroy':
      return t('“{0}” is being destroyed. This session has ended.', name);
  }
}

function replace(terminal: vscode.Terminal, reason: string): void {
  const { name } = terminal;
  const isActive = vscode.window.activeTerminal === terminal;
  terminal.dispose();
  const rest = new StandIn({ name });
  rest.end(reason);
  if (isActive) {
    rest.terminal.show(true);
  }
}
