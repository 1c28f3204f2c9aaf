import { runCommand } from '../../editor/commands';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { withCancellableProgress } from '../../editor/progress';
import type { Services } from '../../services';
import { NotSignedInError } from '../../shared/notSignedIn';
import { orCancelled } from '../../util/cancellation';
import { isCancelled, UserError } from '../../util/errors';
import { text } from '../../util/text';
import type { ServerAddress } from '../machine/kernels';
import { installServer } from '../machine/notebookServer';
import { JupyterMissingError, type NotebookConnections } from './connections';

export interface ToSetUp {
  readonly alias: string;
  readonly accountKey: string;
  readonly instanceId: number;
  readonly name: string;
}

/** An instance of one account is not used with the entries and the numbers of another. */
export function checkAccount({ active }: Pick<Services['accounts'], 'active'>, accountKey: string): void {
  if (!active) {
    throw new NotSignedInError();
  }
  if (active.key !== accountKey) {
    throw new UserError(text('This instance belongs to another account. Sign in with it first.'));
  }
}

type Deps = Pick<Services, 'accounts' | 'ssh'> & { readonly connections: NotebookConnections };

/**
 * Prepares an instance for notebooks: verifies the login, and installs Jupyter if it is missing and the user agrees.
 * Returns `undefined` if the user cancels.
 */
export async function setUpServer(deps: Deps, toSetUp: ToSetUp): Promise<ServerAddress | undefined> {
  try {
    return await connectOrInstall(deps, toSetUp);
  } catch (error) {
    if (isCancelled(error)) {
      return undefined;
    }
    throw error;
  }
}

async function connectOrInstall(
  { accounts, ssh, connections }: Deps,
  { alias, accountKey, instanceId, name }: ToSetUp,
): Promise<ServerAddress | undefined> {
  checkAccount(accounts, accountKey);
  if ((await runCommand('gpuRental.prepareSsh', { instanceId, accountKey })) === undefined) {
    return undefined;
  }
  // Others may wait for the same attempt, so *Cancel* only ends this waiting.
  const connect = (signal: AbortSignal) => orCancelled(connections.connect(alias, { isAsked: true }), signal);
  const known = await withCancellableProgress(t('Connecting to {0}', name), (signal) =>
    connect(signal).catch((error: unknown) => {
      if (error instanceof JupyterMissingError) {
        return error;
      }
      throw error;
    }),
  );
  if (!(known instanceof JupyterMissingError)) {
    return known;
  }
  const isSure = await confirm({
    message: t('Install Jupyter on {0}?', name),
    detail: t(
      'pip installs jupyter_server and ipykernel there, about 60 MB. The server listens on the loopback address of the instance and is reached over SSH.',
    ),
    button: t('Install'),
  });
  return isSure
    ? withCancellableProgress(t('Setting up Jupyter on {0}', name), async (signal, report) => {
        await installServer(ssh, alias, report, signal);
        return connect(signal);
      })
    : undefined;
}
