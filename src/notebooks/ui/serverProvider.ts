import * as vscode from 'vscode';
import { runCommand, titledAction } from '../../editor/commands';
import { localize, reasonOf, t } from '../../editor/localize';
import { message, type Action } from '../../editor/message';
import type { Instance } from '../../model/instances/instance';
import { instanceName, nameAmong } from '../../model/instances/instanceLabel';
import { actionsFor, costPerHour, stateLabel, stateOf } from '../../model/instances/instanceState';
import { formatMoney } from '../../model/money';
import type { Services } from '../../services';
import { HostKeyError } from '../../ssh/hostKey';
import { isCurrent } from '../../store/instances/listed';
import { isCancelled, UserError } from '../../util/errors';
import { plainArgument } from '../../util/plainLabel';
import { text } from '../../util/text';
import type { ServerAddress } from '../machine/kernels';
import type { Candidate, ListedServer } from '../model/notebookServers';
import { JupyterMissingError, NoLoginYetError, type NotebookConnections } from './connections';
import type {
  JupyterCommand,
  JupyterCommandProvider,
  JupyterServer,
  JupyterServerProvider,
} from './jupyterTypes';
import type { NotebookFolders } from './notebookFolders';
import type { ServerList } from './serverList';
import { checkAccount, setUpServer } from './setUp';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'ssh' | 'clock' | 'oneWindow' | 'report' | 'log'> & {
  readonly servers: ServerList;
  readonly connections: NotebookConnections;
  readonly folders: Pick<NotebookFolders, 'addKernels'>;
};

/** Within this time, windows notice the same (ms). */
const sameTimeMs = 5 * 60_000;

interface OwnCommand extends JupyterCommand {
  readonly run: () => Promise<JupyterServer | undefined>;
}

/**
 * Implements the Jupyter extension's callbacks. They run unasked and concurrently, so only picker commands ask the user
 * anything.
 */
export class ServerProvider implements JupyterServerProvider, JupyterCommandProvider {
  /** Instances that the user must set up first, and whether a message has named them. */
  private readonly needsSetUp = new Set<string>();
  private readonly reported = new Set<string>();

  constructor(
    private readonly deps: Deps,
    readonly onDidChangeServers: vscode.Event<void>,
  ) {}

  /** Answers from the last good list, without a request. Jupyter sorts the returned array in place. */
  provideJupyterServers(): JupyterServer[] {
    return this.deps.servers.rows.map(({ alias, label }) => ({ id: alias, label }));
  }

  async resolveJupyterServer({ id }: { readonly id: string }): Promise<JupyterServer> {
    try {
      return await this.resolve(id);
    } catch (error) {
      const reason = reasonOf(error) ?? String(error);
      this.deps.log.info(`The notebook server ${id} is not available: ${reason}`);
      const canSetUp = error instanceof JupyterMissingError || error instanceof NoLoginYetError;
      if (canSetUp) {
        this.needsSetUp.add(id);
      }
      this.reportProblem(id, error, canSetUp);
      throw new Error(reason);
    }
  }

  /**
   * Shows each reason once for an instance until it was connected again, over all windows and restarts, since Jupyter
   * asks for used servers whenever a notebook opens. Each changed host key is shown once as well, and again in a window
   * that meets it later.
   */
  reportProblem(id: string, error: unknown, canSetUp = false): void {
    const { clock, connections, oneWindow, servers } = this.deps;
    const row = servers.find(id);
    // The same reason may hold words of the machine, which differ each time.
    const reason = error instanceof UserError ? error.text.template : '';
    const isHostKey = error instanceof HostKeyError;
    const offered = isHostKey ? (error.offered ?? '') : '';
    const times = connections.timesConnected(id);
    const turn = [id, times, offered, reason].join(' ');
    if (!row || isCancelled(error) || this.reported.has(turn)) {
      return;
    }
    const key = `notebooks.unavailable ${[id, offered, reason, Math.floor(clock.now() / sameTimeMs)].join(' ')}`;
    const show = async () => {
      this.reported.add(turn);
      if (isHostKey || (await servers.noteReported(id, reason))) {
        this.show(row, error, canSetUp);
      }
    };
    if (!isHostKey) {
      this.reported.add(turn);
    }
    oneWindow.offer(key, show, { isStillSo: () => connections.timesConnected(id) === times });
  }

  private show(row: ListedServer, error: unknown, canSetUp: boolean): void {
    const name = this.nameOf(row);
    message(
      'warning',
      t("Notebooks can't use {0}: {1}", name, reasonOf(error) ?? String(error)),
      this.stepTo(row),
      canSetUp && { label: t('Set Up…'), run: () => this.setUp(row, name) },
      // Logs in, which explains the key and offers to forget the old one.
      error instanceof HostKeyError && { label: t('Retry'), run: () => this.setUp(row, name) },
    );
  }

  /** Returns what makes an instance usable that does not run or is of another account. */
  private stepTo(row: ListedServer): Action | undefined {
    const { accounts, clock, fleet } = this.deps;
    if (!accounts.active) {
      return titledAction('gpuRental.signIn');
    }
    if (accounts.active.key !== row.accountKey) {
      return titledAction('gpuRental.switchAccount');
    }
    const { instanceId } = row;
    const instance = fleet.find(instanceId);
    return instance && actionsFor(instance, fleet.facts(instanceId), clock.now()).canStart
      ? titledAction('gpuRental.instance.start', { instanceId })
      : undefined;
  }

  /** Jupyter calls this for every key typed in the picker. */
  provideCommands(): OwnCommand[] {
    if (!this.deps.accounts.active) {
      return [{ label: t('Sign In to GPU Rental…'), run: () => closeAndRun('gpuRental.signIn') }];
    }
    return [
      ...this.deps.servers.rows.flatMap((row) => this.commandsOf(row)),
      { label: t('Rent a GPU…'), run: () => closeAndRun('gpuRental.searchOffers') },
    ];
  }

  /** Handles its own errors, because an error would leave Jupyter's picker busy. */
  async handleCommand({ label }: JupyterCommand): Promise<JupyterServer | undefined> {
    try {
      return await this.provideCommands()
        .find((own) => own.label === label)
        ?.run();
    } catch (error) {
      if (error instanceof vscode.CancellationError) {
        throw error;
      }
      this.deps.report.error(error);
      return undefined;
    }
  }

  private commandsOf(row: ListedServer): readonly OwnCommand[] {
    const instance = this.instanceOf(row);
    if (!instance) {
      return [];
    }
    // Jupyter identifies a command only by its label.
    const { state } = this.deps.fleet;
    const name = nameAmong(instance, state.kind === 'ready' ? state.value.instances : []);
    const { canStart, canConnect } = actionsFor(
      instance,
      this.deps.fleet.facts(instance.id),
      this.deps.clock.now(),
    );
    if (canStart) {
      const { instanceId } = row;
      const price = priceOf(instance);
      return [
        {
          label: t('Start {0}', name),
          ...(price === undefined ? {} : { description: price }),
          run: async () => {
            await runCommand('gpuRental.instance.start', { instanceId });
            return undefined;
          },
        },
      ];
    }
    return canConnect && this.needsSetUp.has(row.alias)
      ? [{ label: t('Set Up {0} for Notebooks…', name), run: () => this.setUp(row, name) }]
      : [];
  }

  private nameOf(row: ListedServer): string {
    const instance = this.instanceOf(row);
    return instance ? instanceName(instance) : row.label;
  }

  private instanceOf({ accountKey, instanceId }: ListedServer): Instance | undefined {
    return this.deps.accounts.active?.key === accountKey ? this.deps.fleet.find(instanceId) : undefined;
  }

  private async resolve(alias: string): Promise<JupyterServer> {
    const { servers, connections, accounts, fleet, clock } = this.deps;
    // Jupyter asks for the servers that it knows while a window opens.
    await accounts.load();
    const row = servers.find(alias);
    if (!row) {
      throw new UserError(text('This instance has been destroyed.'));
    }
    checkAccount(accounts, row.accountKey);
    // The address of an instance that ran yesterday may be another renter's by now, which looks like a changed host key.
    if (!isCurrent(fleet.state, clock.now())) {
      await fleet.refresh().catch(() => undefined);
    }
    const instance = fleet.find(row.instanceId);
    if (instance && !actionsFor(instance, fleet.facts(instance.id), clock.now()).canConnect) {
      const kind = stateOf(instance, fleet.facts(instance.id), clock.now());
      throw new UserError(text('The instance is not running: {0}', stateLabel(instance, kind)));
    }
    const address = await connections.connect(alias);
    // Jupyter lists the kernels next.
    await this.deps.folders.addKernels(row);
    return this.isUsed(row, address);
  }

  private async setUp(row: ListedServer, name: string): Promise<JupyterServer | undefined> {
    const address = await setUpServer(this.deps, { ...row, name });
    if (!address) {
      return undefined;
    }
    await this.deps.folders.addKernels(row);
    return this.isUsed(row, address);
  }

  private isUsed(row: ListedServer, address: ServerAddress): JupyterServer {
    void this.deps.servers.noteUsed(row.alias);
    this.needsSetUp.delete(row.alias);
    return asServer(row, address);
  }
}

/** Runs one of our commands and closes Jupyter's picker, because ours replaces it. */
function closeAndRun(id: 'gpuRental.signIn' | 'gpuRental.searchOffers'): Promise<never> {
  void runCommand(id);
  return Promise.reject(new vscode.CancellationError());
}

function asServer({ alias, label }: ListedServer, { localPort, token }: ServerAddress): JupyterServer {
  const baseUrl = vscode.Uri.parse(`http://127.0.0.1:${localPort}/`);
  return { id: alias, label, connectionInformation: { baseUrl, token } };
}

function priceOf(instance: Instance): string | undefined {
  const cost = costPerHour(instance, 'running');
  return cost === undefined ? undefined : t('{0}/h', formatMoney(cost));
}

/** Returns the active account's instances for the kernel picker, if their list is known. */
export function candidatesOf({
  accounts,
  fleet,
  ssh,
  clock,
}: Pick<Deps, 'accounts' | 'fleet' | 'ssh' | 'clock'>): readonly Candidate[] | undefined {
  const { active } = accounts;
  const { state } = fleet;
  if (!active || state.kind !== 'ready') {
    return undefined;
  }
  return state.value.instances.map((instance) => {
    const facts = fleet.facts(instance.id);
    const kind = stateOf(instance, facts, clock.now());
    const { canConnect } = actionsFor(instance, facts, clock.now());
    const name = nameAmong(instance, state.value.instances);
    const parts = [name, instance.gpuName, priceOf(instance)].filter((part) => part !== undefined);
    return {
      alias: ssh.aliasOf(active, instance.id),
      accountKey: active.key,
      instanceId: instance.id,
      label: plainArgument(
        canConnect ? parts.join(' · ') : `${name} (${localize(stateLabel(instance, kind))})`,
      ),
      canConnect,
    };
  });
}
