import * as vscode from 'vscode';
import { withCancellableProgress } from '../../editor/progress';
import { plainLabel } from '../../editor/quickPick';
import type { Instance } from '../../model/instance';
import { instanceName } from '../../model/instanceLabel';
import { hasShell, stateOf } from '../../model/instanceState';
import type { Services } from '../../services';
import { isRemotePath, readFolders } from '../../ssh/remoteFolders';
import { matchKeys, type ConnectOutcome, type PreparedHost } from '../../ssh/service';
import { explainFailure, explainVerification, type Explained } from '../../ssh/problemText';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import { ConnectProblem } from './connectProblem';
import { FolderMemory } from './folderMemory';
import { keysOf, offerToAttach } from './instanceKeys';
import { pickFolder } from './folderPicker';
import { PlatformEntries } from './platformEntries';
import { installedResolvers, offerOtherWays } from './resolverChoice';

export type ConnectDeps = Pick<
  Services,
  'accounts' | 'fleet' | 'ssh' | 'settings' | 'globalState' | 'log' | 'report' | 'clock' | 'commands'
>;

type Where = 'newWindow' | 'currentWindow';

/** One click to a window, a terminal or a copied command on an instance. */
export class Connector {
  readonly folders: FolderMemory;
  readonly platforms: PlatformEntries;
  /** Connecting is under way once an instance, however often it is clicked. */
  private readonly running = new Map<number, Promise<void>>();

  constructor(private readonly deps: ConnectDeps) {
    this.folders = new FolderMemory(deps.globalState);
    this.platforms = new PlatformEntries(deps.globalState);
  }

  /** The instances to which a connection makes sense. */
  candidates(): readonly Instance[] {
    const { fleet, clock } = this.deps;
    const { state } = fleet;
    const instances = state.kind === 'ready' ? state.value.instances : [];
    return instances.filter(
      (one) => hasShell(one) && stateOf(one, fleet.facts(one.id), clock.now()) === 'running',
    );
  }

  connect(instanceId: number, where: Where): Promise<void> {
    const known = this.running.get(instanceId);
    if (known) {
      return known;
    }
    const run = this.openWindow(instanceId, where, false).finally(() => {
      this.running.delete(instanceId);
    });
    this.running.set(instanceId, run);
    return run;
  }

  /** Writes what ssh needs, without a login: whoever uses it sees what ssh says. */
  async prepare(instanceId: number, change: { readonly forwardAgent?: boolean } = {}): Promise<PreparedHost> {
    const instance = this.usable(instanceId);
    return withCancellableProgress(this.title(instanceId), (signal) =>
      this.request(instanceId, instance, signal).then((request) =>
        this.deps.ssh.prepare({ ...request, ...change }, signal),
      ),
    );
  }

  async openTerminal(instanceId: number): Promise<void> {
    const host = await this.prepare(instanceId);
    this.warnAboutMemory(host);
    vscode.window.createTerminal(this.terminalOptions(instanceId, host.alias)).show();
  }

  terminalOptions(instanceId: number, alias: string): vscode.TerminalOptions {
    const [shellPath, ...shellArgs] = this.deps.ssh.command(alias);
    return {
      name: this.name(instanceId),
      shellPath,
      shellArgs,
      iconPath: new vscode.ThemeIcon('vm-running'),
      isTransient: true,
      // What this window set up for its own shells means nothing on the machine.
      env: { TERM: 'xterm-256color' },
    };
  }

  async copyCommand(instanceId: number): Promise<void> {
    const host = await this.prepare(instanceId);
    await vscode.env.clipboard.writeText(this.deps.ssh.commandLine(host.alias));
    void vscode.window.setStatusBarMessage(vscode.l10n.t('SSH command copied'), 4_000);
  }

  name(instanceId: number): string {
    const instance = this.deps.fleet.find(instanceId);
    return instance ? plainLabel(instanceName(instance)) : `#${instanceId}`;
  }

  private async openWindow(instanceId: number, where: Where, despiteOverride: boolean): Promise<void> {
    const instance = this.usable(instanceId);
    const [resolver] = installedResolvers();
    const outcome = await withCancellableProgress(this.title(instanceId), (signal, say) =>
      this.login(instanceId, instance, signal, say),
    );
    if (!outcome) {
      return;
    }
    const { host, preflight } = outcome;
    const retry = () => this.openWindow(instanceId, where, despiteOverride);
    const obstacle = preflight.ok
      ? explainVerification(host.verification)
      : (brokenConfig(host) ?? explainFailure(preflight, host.identity));
    if (obstacle && !(preflight.ok && despiteOverride)) {
      this.logProbes(host);
      new ConnectProblem(this.deps, { instanceId, host, explained: obstacle }).show({
        retry,
        openTerminal: () => this.openTerminal(instanceId),
        connectAnyway: () => this.openWindow(instanceId, where, true),
      });
      return;
    }
    this.warnAboutMemory(host);
    if (!resolver) {
      await offerOtherWays({
        openTerminal: () => this.openTerminal(instanceId),
        copyCommand: () => this.copyCommand(instanceId),
      });
      return;
    }
    const folder = await this.folder(instanceId, instance, host.alias);
    if (folder === undefined) {
      return;
    }
    await this.platforms.add(resolver, host.alias);
    await this.folders.remember(host.alias, instance, folder);
    const uri = vscode.Uri.from({
      scheme: 'vscode-remote',
      authority: `ssh-remote+${host.alias}`,
      path: folder,
    });
    this.deps.log.info(`Opening ${host.alias} by ${resolver.id}`);
    await vscode.commands.executeCommand('vscode.openFolder', uri, {
      forceNewWindow: where === 'newWindow',
      forceReuseWindow: where === 'currentWindow',
    });
  }

  /** Key, address, entry and a real login; `undefined` where the user stopped at a question. */
  private async login(
    instanceId: number,
    instance: Instance | undefined,
    signal: AbortSignal,
    say: (message: string) => void,
  ): Promise<ConnectOutcome | undefined> {
    say(vscode.l10n.t('Looking for a key that fits…'));
    let request = await this.request(instanceId, instance, signal);
    if (request.registeredKeys) {
      const local = await this.deps.ssh.localKeys(signal);
      if (matchKeys(local, request.registeredKeys).length === 0) {
        if (!(await offerToAttach(instanceId))) {
          return undefined;
        }
        request = await this.request(instanceId, instance, signal);
      }
    }
    say(vscode.l10n.t('Logging in…'));
    return this.deps.ssh.connect(request, signal);
  }

  private async request(instanceId: number, instance: Instance | undefined, signal: AbortSignal) {
    const account = this.deps.accounts.active;
    if (!account) {
      throw new UserError(text('Sign in to connect to an instance.'), { nextStep: 'signIn' });
    }
    const registeredKeys = await keysOf(this.deps, instanceId, signal);
    return { account, instanceId, instance, registeredKeys };
  }

  /** What was chosen before or set, else asked; `undefined` where the user picks none. */
  private async folder(
    instanceId: number,
    instance: Instance | undefined,
    alias: string,
  ): Promise<string | undefined> {
    const set = this.deps.settings.get('gpuRental.connect.folder').trim();
    if (isRemotePath(set)) {
      return set;
    }
    const last = this.folders.last(alias);
    if (last !== undefined) {
      return last;
    }
    const offered = await readFolders(this.deps.ssh, alias);
    return pickFolder(
      offered,
      this.folders.recent(alias, instance),
      vscode.l10n.t('Open {0}', this.name(instanceId)),
    );
  }

  /** The record, where it says that a login makes sense or says nothing at all. */
  private usable(instanceId: number): Instance | undefined {
    const { fleet, clock } = this.deps;
    const instance = fleet.find(instanceId);
    if (!instance) {
      return undefined;
    }
    if (!hasShell(instance)) {
      throw new UserError(
        text(
          'This instance has no SSH, because it was rented with the run type “args”. Follow its logs instead.',
        ),
      );
    }
    const kind = stateOf(instance, fleet.facts(instanceId), clock.now());
    if (kind === 'stopped' || kind === 'exited' || kind === 'outbid') {
      throw new UserError(text('The instance is not running. Start it, then connect.'));
    }
    return instance;
  }

  private title(instanceId: number): string {
    return vscode.l10n.t('Connecting to {0}', this.name(instanceId));
  }

  private warnAboutMemory(host: PreparedHost): void {
    if (host.fromMemory) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t('The service did not say where the instance is. Its last known address is used.'),
      );
    }
  }

  private logProbes(host: PreparedHost): void {
    const tried = host.probes.map(({ endpoint, outcome }) => `${endpoint.kind}: ${outcome}`);
    this.deps.log.warn(`${host.alias} (${host.endpoint.kind}) could not be opened; ${tried.join(', ')}`);
  }
}

/** Where the config is at fault a failed login says less than the config does. */
function brokenConfig(host: PreparedHost): Explained | undefined {
  return host.verification.kind === 'equal' ? undefined : explainVerification(host.verification);
}
