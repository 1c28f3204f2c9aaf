import * as vscode from 'vscode';
import type { Services } from '../../services';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'hub' | 'report' | 'clock' | 'log'>;

/** Said again after this, while the key is still refused. */
const againMs = 12 * 60 * 60_000;

/**
 * A key that is refused while the list of instances is read is told once, in the window that somebody looks
 * at, with what may be the cause and *Replace Key*. The last list stays in sight meanwhile.
 */
export function tellRefusedKey({ accounts, fleet, hub, report, clock, log }: Deps): Disposable {
  const store = new DisposableStore();
  const look = async () => {
    const { state } = fleet;
    const error = state.kind === 'failed' || state.kind === 'ready' ? state.error : undefined;
    const account = accounts.active;
    if (!account || !(error instanceof UserError) || error.nextStep !== 'replaceKey') {
      return;
    }
    if (!vscode.window.state.focused) {
      return;
    }
    const lastGood = state.kind === 'ready' ? state.fetchedAt : 0;
    const period = Math.floor(clock.now() / againMs);
    if (await hub.claim(`refusedKey ${account.key} ${String(account.user.keyId)} ${lastGood} ${period}`)) {
      report.error(error);
    }
  };
  const start = () => {
    look().catch((error: unknown) => {
      log.error('A refused key could not be told', error);
    });
  };
  store.add(fleet.onDidChange(start));
  store.add(vscode.window.onDidChangeWindowState(start));
  return store;
}
