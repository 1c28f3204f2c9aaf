import * as vscode from 'vscode';
import { localize, t } from '../../editor/localize';
import type { OwnTerminalOptions } from '../../editor/ownTerminal';
import { withCancellableProgress } from '../../editor/progress';
import { keysOf } from '../../instanceKeys';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import type { Services } from '../../services';
import { parseServices, servicesScript } from '../../ssh/machineServices';
import { hostKeyProblems } from '../../ssh/preflight';
import {
  NoLoginError,
  type ConnectOutcome,
  type PreparedHost,
  type PrepareRequest,
} from '../../ssh/prepareHost';
import {
  explainFailure,
  explainGivenAway,
  explainNoLogin,
  explainUnread,
  type Explained,
} from '../../ssh/problemText';
import { parseTerminals, terminalsScript } from '../../ssh/terminals';
import { plainLabel } from '../../util/plainLabel';
import { ConnectProblem, type Actions } from './connectProblem';
import { logProbes, usableInstance, warnAboutMemory, type HeldMachine } from './hostChecks';
import type { TerminalLogin } from './keptTerminals';
import { Patience } from './patience';

export type ContactDeps = Pick<
  Services,
  | 'accounts'
  | 'attachedKeys'
  | 'fleet'
  | 'machineServices'
  | 'ssh'
  | 'sshConsent'
  | 'log'
  | 'report'
  | 'clock'
  | 'startWatches'
>;

/** Reaches instances over SSH without a window: entries, terminals, copied commands, and error messages. */
export class Contact {
  readonly patience: Patience;

  constructor(private readonly deps: ContactDeps) {
    this.patience = new Patience(deps);
  }

  /** Writes the SSH entry without a login: ssh asks before it trusts an unproved host key. */
  writeEntry(machine: HeldMachine, change: { readonly forwardAgent?: boolean } = {}): Promise<PreparedHost> {
    return this.withRequest(machine, (request, signal) =>
      this.deps.ssh.writeEntry({ ...request, ...change }, signal),
    );
  }

  /**
   * Returns an alias for programs that can't ask questions. If no login works, or ssh does not read the entry, it shows
   * the same explanation as for a window and continues after the fix; `undefined` if the user stops. For a terminal, which
   * follows every line of the user's config, it also names a line that would give the machine something of this computer.
   */
  async reach(machine: HeldMachine, isForTerminal = false): Promise<string | undefined> {
    let alias: string | undefined;
    const retry = async () => {
      alias = await this.reach(machine, isForTerminal);
    };
    try {
      const host = await this.prepare(machine);
      const given = isForTerminal ? explainGivenAway(host.verification) : undefined;
      const obstacle = explainUnread(host.verification) ?? given;
      if (!obstacle) {
        return host.alias;
      }
      const connectAnyway = () => {
        ({ alias } = host);
        return Promise.resolve();
      };
      await this.showProblem(machine, host, obstacle, { retry, connectAnyway });
    } catch (error) {
      if (!(error instanceof NoLoginError)) {
        throw error;
      }
      await this.showProblem(machine, error.host, explainNoLogin(error.failure, error.host), { retry });
    }
    return alias;
  }

  /** Proves the host key by a login that shows nothing; throws if none works. */
  reachUnseen(machine: HeldMachine): Promise<PreparedHost> {
    return this.withRequest(machine, (request, signal) => this.deps.ssh.prepare(request, signal), {
      isShown: false,
    });
  }

  /** Opens a terminal. What keeps terminals running sets it. */
  openTerminal: (machine: HeldMachine, despiteOverride?: boolean) => Promise<void> = () => Promise.resolve();

  /** Logs in for terminals, and reads which ones run there; none if that would be unsafe, which is explained here. */
  async logIn(machine: HeldMachine, despiteOverride = false): Promise<TerminalLogin | undefined> {
    const { machineServices, ssh } = this.deps;
    const { host, preflight } = await this.withRequest(machine, (request, signal) => {
      // Once for each start of the machine.
      const isKnown =
        machineServices.of(ssh.aliasOf(request.account, machine.instanceId), machine.instanceId) !==
        undefined;
      const scripts = [terminalsScript, ...(isKnown ? [] : [servicesScript])];
      return ssh.connect(request, { signal, also: scripts.map((one) => `(\n${one}\n)`).join('\n') });
    });
    warnAboutMemory(host);
    const given = despiteOverride ? undefined : explainGivenAway(host.verification);
    const obstacle = explainUnread(host.verification) ?? given;
    if (obstacle) {
      void this.showProblem(machine, host, obstacle, {
        retry: () => this.openTerminal(machine),
        connectAnyway: () => this.openTerminal(machine, true),
      });
      return undefined;
    }
    // Other problems are visible, and often fixable, in the terminal itself.
    if (!preflight.ok && hostKeyProblems.includes(preflight.problem)) {
      void this.showProblem(machine, host, explainFailure(preflight, host.identity), {
        retry: () => this.openTerminal(machine),
      });
      return undefined;
    }
    const said = (preflight.ok ? preflight.also : undefined) ?? '';
    machineServices.note(host.alias, parseServices(said));
    return { alias: host.alias, seen: parseTerminals(said) };
  }

  /** Returns a terminal on an instance, as it looks in the editor. */
  looks(
    machine: HeldMachine,
    options: Pick<OwnTerminalOptions, 'shellPath' | 'shellArgs' | 'isRemote' | 'message'>,
  ): OwnTerminalOptions {
    return {
      name: this.name(machine.instanceId),
      ...options,
      iconPath: new vscode.ThemeIcon('vm-running'),
      color: new vscode.ThemeColor('terminal.ansiGreen'),
      isTransient: true,
      // Variables of this window's own shells have no meaning on the machine.
      env: { TERM: 'xterm-256color' },
    };
  }

  async copyCommand(machine: HeldMachine): Promise<void> {
    const alias = await this.aliasToCopy(machine);
    if (alias !== undefined) {
      await vscode.env.clipboard.writeText(this.deps.ssh.commandLine(alias));
      void vscode.window.setStatusBarMessage(t('Copied'), 4_000);
    }
  }

  /**
   * Returns the alias for a copied command: its user can wait and answer ssh's questions, but a host key that changed, or
   * that the log of the instance contradicts, is refused.
   */
  private async aliasToCopy(machine: HeldMachine): Promise<string | undefined> {
    try {
      return (await this.prepare(machine, { isPatient: false })).alias;
    } catch (error) {
      if (!(error instanceof NoLoginError)) {
        throw error;
      }
      const { host, failure } = error;
      if (!hostKeyProblems.includes(failure.problem)) {
        return host.alias;
      }
      void this.showProblem(machine, host, explainFailure(failure, host.identity), {
        retry: () => this.copyCommand(machine),
      });
      return undefined;
    }
  }

  private async prepare(machine: HeldMachine, how?: { readonly isPatient: boolean }): Promise<PreparedHost> {
    const host = await this.withRequest(
      machine,
      (request, signal) => this.deps.ssh.prepare(request, signal),
      how,
    );
    warnAboutMemory(host);
    return host;
  }

  private async withRequest<T extends ConnectOutcome | PreparedHost>(
    machine: HeldMachine,
    run: (request: PrepareRequest, signal: AbortSignal) => Promise<T>,
    { isPatient = true, isShown = true }: { readonly isPatient?: boolean; readonly isShown?: boolean } = {},
  ): Promise<T> {
    const instance = usableInstance(this.deps, machine);
    const login = async (signal: AbortSignal, report: (message: string) => void) => {
      const request = await this.request(machine, instance, signal);
      return isPatient
        ? this.patience.through(request, { signal, report: (words) => report(localize(words)) }, (current) =>
            run(current, signal),
          )
        : run(request, signal);
    };
    return isShown
      ? withCancellableProgress(this.title(machine.instanceId), (signal, report) => login(signal, report))
      : login(new AbortController().signal, () => undefined);
  }

  name(instanceId: number): string {
    const instance = this.deps.fleet.find(instanceId);
    return instance ? plainLabel(instanceName(instance)) : `#${instanceId}`;
  }

  showProblem(
    machine: HeldMachine,
    host: PreparedHost,
    explained: Explained,
    actions: Pick<Actions, 'retry'> & Partial<Actions>,
  ): Promise<void> {
    logProbes(this.deps.log, host);
    return new ConnectProblem({ ...this.deps, patience: this.patience }, { machine, host, explained }).show({
      waitLonger: actions.retry,
      connectAnyway: actions.retry,
      openTerminal: () => this.openTerminal(machine),
      ...actions,
    });
  }

  async request(
    { instanceId, account: held }: HeldMachine,
    instance: Instance | undefined,
    signal: AbortSignal,
  ): Promise<PrepareRequest> {
    await this.deps.sshConsent.ask();
    const account = held();
    return {
      account,
      instanceId,
      instance,
      ...(await keysOf(this.deps, account, instanceId, signal)),
    };
  }

  title(instanceId: number): string {
    return t('Connecting to {0}', this.name(instanceId));
  }
}
