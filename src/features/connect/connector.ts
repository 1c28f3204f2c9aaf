import { basename } from 'node:path';
import * as vscode from 'vscode';
import { runCommand } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { withCancellableProgress } from '../../editor/progress';
import type { Instance } from '../../model/instances/instance';
import { hasShell, stateOf, type InstanceStateKind } from '../../model/instances/instanceState';
import type { Services } from '../../services';
import { workspaceHostOf } from '../../ssh/alias';
import { matchKeys } from '../../ssh/localKeys';
import type { ConnectOutcome, PrepareRequest } from '../../ssh/prepareHost';
import { explainFailure, explainVerification } from '../../ssh/problemText';
import { isRemotePath, readFolders } from '../../ssh/remoteFolders';
import type { RepositoryUrl } from '../../ssh/repositoryUrl';
import { runProgram } from '../../ssh/run';
import { isComplete } from '../../store/instances/listed';
import { offerToAttach } from './connectProblem';
import type { Contact } from './contact';
import { LastFolders, pickFolder, recipeFolder } from './folders';
import { usableInstance, warnAboutMemory, type HeldMachine } from './hostChecks';
import { PlatformEntries } from './platformEntries';
import { installedResolvers, offerOtherWays } from './resolverChoice';
import { startFirst } from './startFirst';
import { cloneWithProgress, pickRemote, workspaceRemotes } from './workspaceRepository';

export type ConnectDeps = Pick<
  Services,
  | 'accounts'
  | 'accountCleanup'
  | 'attachedKeys'
  | 'fleet'
  | 'instanceGroups'
  | 'machineServices'
  | 'oneWindow'
  | 'presence'
  | 'rentals'
  | 'ssh'
  | 'sshConsent'
  | 'settings'
  | 'globalState'
  | 'log'
  | 'report'
  | 'clock'
  | 'commands'
  | 'startWatches'
  | 'workspaceState'
>;

type Where = 'newWindow' | 'currentWindow';

/** How an attempt to connect differs from the usual one. */
interface Try {
  /** The user knows that the config overrides our settings. */
  readonly despiteOverride?: boolean;
  /** The user knows that the disk is almost full. */
  readonly despiteFullDisk?: boolean;
  /** The user allowed more time. */
  readonly isPatient?: boolean;
  /** The folder to open without a question. */
  readonly folder?: string;
}

/** Opens windows on instances with one click. */
export class Connector {
  readonly folders: LastFolders;
  readonly platforms: PlatformEntries;
  /** Connections under way, one per instance, however often it is clicked. */
  private readonly running = new Map<number, Promise<void>>();

  constructor(
    private readonly deps: ConnectDeps,
    private readonly contact: Contact,
  ) {
    this.folders = new LastFolders(deps.globalState);
    this.platforms = new PlatformEntries(deps.globalState);
  }

  /** Returns the instances to connect to; with `stopped` also those that can be started for it. */
  candidates(kinds: readonly InstanceStateKind[] = ['running']): readonly Instance[] {
    const { fleet, clock } = this.deps;
    const { state } = fleet;
    const instances = state.kind === 'ready' ? state.value.instances : [];
    return instances.filter(
      (one) => hasShell(one) && kinds.includes(stateOf(one, fleet.facts(one.id), clock.now())),
    );
  }

  /** Without a folder it asks for one, unless one is known. */
  connect(machine: HeldMachine, where: Where, folder?: string): Promise<void> {
    const { instanceId } = machine;
    const known = this.running.get(instanceId);
    if (known) {
      return known;
    }
    const run = this.startAndOpen(machine, where, folder === undefined ? {} : { folder }).finally(() => {
      this.running.delete(instanceId);
    });
    this.running.set(instanceId, run);
    return run;
  }

  /** Clones the repository of the open workspace on the instance and opens it there. */
  async clone(machine: HeldMachine, where: Where): Promise<void> {
    const remotes = await workspaceRemotes(runProgram);
    if (remotes.length === 0) {
      message('info', t('The open folder has no git remote that can be cloned over HTTPS or SSH.'));
      return;
    }
    const address = await pickRemote(remotes);
    if (!address) {
      return;
    }
    const alias = await this.contact.reach(machine);
    if (alias === undefined) {
      return;
    }
    const folder = await this.cloneHere(machine, alias, address);
    if (folder !== undefined) {
      await this.openWindow(machine, where, { folder });
    }
  }

  private async startAndOpen(machine: HeldMachine, where: Where, how: Try): Promise<void> {
    const { instanceId } = machine;
    let isOpened = false;
    try {
      isOpened = (await this.started(machine)) && (await this.openWindow(machine, where, how));
    } finally {
      await runCommand('gpuRental.followElsewhere', { instanceId, follows: false, isOpened });
    }
  }

  /** Offers to start a stopped instance first. */
  private async started(machine: HeldMachine): Promise<boolean> {
    const { instanceId } = machine;
    if (!this.candidates(['stopped']).some(({ id }) => id === instanceId)) {
      return true;
    }
    await runCommand('gpuRental.followElsewhere', { instanceId, follows: true });
    return startFirst(this.deps, machine, this.contact.name(instanceId));
  }

  /** Returns true if the window opens. */
  private async openWindow(machine: HeldMachine, where: Where, how: Try = {}): Promise<boolean> {
    const { instanceId } = machine;
    const instance = usableInstance(this.deps, machine);
    const [resolver] = installedResolvers();
    const outcome = await withCancellableProgress(this.contact.title(instanceId), (signal, report) =>
      this.login(machine, instance, report, { ...how, signal }),
    );
    if (!outcome) {
      return false;
    }
    const { host, preflight } = outcome;
    warnAboutMemory(host);
    const retry = async (change: Try = {}) => {
      await this.openWindow(machine, where, { ...how, ...change });
    };
    const isOverridden = host.verification.kind === 'overridden';
    const config =
      how.despiteOverride === true && isOverridden ? undefined : explainVerification(host.verification);
    const mayOpen = preflight.ok || (preflight.problem === 'diskFull' && how.despiteFullDisk === true);
    const obstacle = config ?? (mayOpen ? undefined : explainFailure(preflight, host.identity));
    if (obstacle) {
      void this.contact.showProblem(machine, host, obstacle, {
        retry: () => retry(),
        waitLonger: () => retry({ isPatient: true }),
        connectAnyway: () => retry(config ? { despiteOverride: true } : { despiteFullDisk: true }),
      });
      return false;
    }
    if (!resolver) {
      await offerOtherWays({
        openTerminal: () => this.contact.openTerminal(machine),
        copyCommand: () => this.contact.copyCommand(machine),
      });
      return false;
    }
    const folder = how.folder ?? (await this.folder(machine, instance, host.alias));
    if (folder === undefined) {
      return false;
    }
    const { key: accountKey } = machine.account();
    await runCommand('gpuRental.setUp.before', { instanceId, accountKey, alias: host.alias }, folder);
    machine.account();
    const name = await this.nameOf(machine, host.alias);
    await this.platforms.add(resolver, name);
    await this.folders.remember(host.alias, instance, folder);
    const uri = vscode.Uri.from({
      scheme: 'vscode-remote',
      authority: `ssh-remote+${name}`,
      path: folder,
    });
    this.deps.log.info(`Opening ${host.alias} by ${resolver.id}`);
    await vscode.commands.executeCommand('vscode.openFolder', uri, {
      forceNewWindow: where === 'newWindow',
      forceReuseWindow: where === 'currentWindow',
    });
    return true;
  }

  /**
   * Returns the host that the window opens: a name that stays with the workspace, so that recent folders and layouts hold
   * on its next instance. An instance that was opened by its own name keeps that.
   */
  private async nameOf(machine: HeldMachine, alias: string): Promise<string> {
    const { instanceId } = machine;
    const { rentals, ssh } = this.deps;
    const known = (await ssh.entry(alias))?.workspace;
    const { workspace, machine: part = '' } = rentals.find(instanceId) ?? {};
    if (known !== undefined || workspace === undefined || this.folders.last(alias) !== undefined) {
      return known ?? alias;
    }
    const host = workspaceHostOf(`${basename(workspace)} ${part}`);
    return (await this.nameHost(machine, host)) ? host : alias;
  }

  /**
   * Lets the host name of a workspace lead to an instance. Returns false if it leads to one that is there, and is not the
   * old one.
   */
  async nameHost(
    { instanceId, account: still }: HeldMachine,
    host: string,
    oldId?: number,
  ): Promise<boolean> {
    const { fleet, ssh } = this.deps;
    const account = still();
    const own = await ssh.entries(account);
    const { state } = fleet;
    const isWhole = state.kind === 'ready' && state.error === undefined && isComplete(state.value);
    const listed = state.kind === 'ready' ? state.value.instances : [];
    const there = new Set(listed.map(({ id }) => ssh.aliasOf(account, id)));
    const given = [instanceId, oldId].flatMap((id) => (id === undefined ? [] : [ssh.aliasOf(account, id)]));
    for (const other of await ssh.entries()) {
      // Without a whole list, each may be there.
      const isGone = isWhole && own.includes(other) && !there.has(other);
      if (!given.includes(other) && !isGone && (await ssh.entry(other))?.workspace === host) {
        return false;
      }
    }
    await ssh.nameWorkspace(host, ssh.aliasOf(account, instanceId));
    return true;
  }

  /** Prepares key, address and entry, and logs in; `undefined` if the user cancelled a question. */
  private async login(
    machine: HeldMachine,
    instance: Instance | undefined,
    report: (message: string) => void,
    how: Try & { readonly signal: AbortSignal },
  ): Promise<ConnectOutcome | undefined> {
    const { signal } = how;
    report(t('Logging in…'));
    let request = await this.contact.request(machine, instance, signal);
    if (request.registeredKeys) {
      const local = await this.deps.ssh.localKeys(signal);
      const fits = matchKeys(local, request.registeredKeys).length > 0;
      // A key that can't be compared may fit, so the missing key is reported only after an attempt.
      const mayFit =
        fits ||
        (await this.deps.ssh.unreadKeys(signal)).length > 0 ||
        matchKeys(await this.deps.ssh.unusableKeys(signal), request.registeredKeys).length > 0 ||
        (await this.hasAgentKey(request));
      if (!mayFit) {
        if (!(await offerToAttach(machine))) {
          return undefined;
        }
        request = await this.contact.request(machine, instance, signal);
      }
    }
    report(t('Logging in…'));
    return this.contact.patience.through(
      request,
      { signal, report: (words) => report(localize(words)) },
      (current) => this.deps.ssh.connect(current, how),
    );
  }

  /** Returns whether the entry names a key of an agent, which shows none of its keys while it is locked. */
  private async hasAgentKey({ account, instanceId }: PrepareRequest): Promise<boolean> {
    const { ssh } = this.deps;
    const alias = ssh.aliasOf(account, instanceId);
    return (await ssh.entry(alias))?.identityFile?.endsWith(`/${alias}.pub`) === true;
  }

  /** Returns the folder chosen earlier or set, otherwise asks; `undefined` if the user picks none. */
  private async folder(
    machine: HeldMachine,
    instance: Instance | undefined,
    alias: string,
  ): Promise<string | undefined> {
    const set = this.deps.settings.get('gpuRental.connect.folder').trim();
    if (isRemotePath(set)) {
      return set;
    }
    const last = this.folders.last(alias);
    const known = last ?? (await recipeFolder(instance));
    if (known !== undefined) {
      return known;
    }
    const [offered, remotes] = await Promise.all([
      readFolders(this.deps.ssh, alias),
      // Without it, cloning is not offered; the command for it explains why.
      workspaceRemotes(runProgram).catch(() => []),
    ]);
    const picked = await pickFolder(
      offered,
      this.folders.recent(alias, instance),
      t('Open {0}', this.contact.name(machine.instanceId)),
      remotes[0]?.name,
    );
    if (picked !== 'clone') {
      return picked;
    }
    const address = await pickRemote(remotes);
    return address && this.cloneHere(machine, alias, address);
  }

  private cloneHere(
    machine: HeldMachine,
    alias: string,
    address: RepositoryUrl,
  ): Promise<string | undefined> {
    return this.deps.presence.during(alias, () =>
      cloneWithProgress(this.deps.ssh, alias, address, () => this.contact.openTerminal(machine)),
    );
  }
}
