import * as vscode from 'vscode';
import type { InstanceTarget } from '../../commandSpecs';
import { chooseInstance } from '../../editor/chooseInstance';
import { confirm } from '../../editor/confirm';
import { reasonOf, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { showTerminal, terminalProfile } from '../../editor/ownTerminal';
import { whileReadingInstances } from '../../editor/progress';
import { sshAuthority } from '../../editor/remoteAuthority';
import { labelOf } from '../../editor/titles';
import { hostInAuthority } from '../../ssh/alias';
import { accountFor, accountStill } from '../../store/accounts/sameAccount';
import { listedInstances } from '../../store/instances/listed';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { withManualStep } from './connectProblem';
import { Connector, type ConnectDeps } from './connector';
import { Contact } from './contact';
import { endTerminals } from './endedTerminals';
import { EntryCleaner } from './entryCleaner';
import { EntryFollower } from './entryFollower';
import { recipeFolder } from './folders';
import { GraceAdvice } from './graceAdvice';
import type { HeldMachine } from './hostChecks';
import { KeptTerminals, type KeptTerminal } from './keptTerminals';
import { LostTerminals } from './lostTerminals';
import { openShared } from './sharedInstance';
import { chosenTerminal, end, endsWithConnection, offerTmux, reattach } from './terminalCommands';
import { TerminalRows } from './terminalRows';

type InstanceCommand =
  | 'gpuRental.instance.connect'
  | 'gpuRental.instance.connectHere'
  | 'gpuRental.instance.cloneRepository'
  | 'gpuRental.instance.openTerminal'
  | 'gpuRental.instance.copySshCommand'
  | 'gpuRental.instance.forwardAgent';

/** Registers windows, terminals and copied commands for running instances, and the SSH entries that they need. */
export function register(deps: ConnectDeps): Disposable {
  const store = new DisposableStore();
  store.add(endTerminals(deps));
  const contact = new Contact(deps);
  const terminals = openingTerminals(deps, contact, store);
  const connector = new Connector(deps, contact);
  const choose = (target: InstanceTarget | undefined, kinds?: Parameters<Connector['candidates']>[0]) =>
    chooseInstance(target, connector.candidates(kinds), 'gpuRental.instance.connect');
  const on = (id: InstanceCommand, run: (machine: HeldMachine) => Promise<void>) => {
    const handler = async (target?: InstanceTarget) => {
      const account = accountFor(deps.accounts);
      if (!target) {
        await listedInstances(deps.fleet, whileReadingInstances);
      }
      // If none runs, a stopped one can be started for a window.
      const canStart = id.startsWith('gpuRental.instance.connect') && connector.candidates().length === 0;
      const instanceId = await choose(target, canStart ? ['stopped'] : undefined);
      if (instanceId !== undefined) {
        await withManualStep(() => run({ instanceId, account }));
      }
    };
    store.add(deps.commands.register<InstanceCommand>(id, handler));
  };
  on('gpuRental.instance.connect', (machine) =>
    connector.connect(machine, deps.settings.get('gpuRental.connect.openIn')),
  );
  store.add(
    deps.commands.register('gpuRental.instance.openFolder', async ({ instanceId, folder }) => {
      const account = accountFor(deps.accounts);
      const where = deps.settings.get('gpuRental.connect.openIn');
      await withManualStep(() => connector.connect({ instanceId, account }, where, folder));
    }),
  );
  store.add(
    deps.commands.register('gpuRental.instance.nameHost', ({ instanceId, host, oldId }) =>
      connector.nameHost({ instanceId, account: accountFor(deps.accounts) }, host, oldId),
    ),
  );
  store.add(
    deps.commands.register('gpuRental.instance.usualFolders', async ({ instanceId, alias }) => {
      const instance = deps.fleet.find(instanceId);
      const own = await recipeFolder(instance);
      const recent = connector.folders.recent(alias, instance);
      return own === undefined ? recent : [own, ...recent.filter((folder) => folder !== own)];
    }),
  );
  on('gpuRental.instance.connectHere', (machine) => connector.connect(machine, 'currentWindow'));
  on('gpuRental.instance.cloneRepository', (machine) =>
    connector.clone(machine, deps.settings.get('gpuRental.connect.openIn')),
  );
  on('gpuRental.instance.openTerminal', (machine) => contact.openTerminal(machine));
  on('gpuRental.instance.forwardAgent', (machine) => changeAgentForwarding(deps, contact, machine));
  on('gpuRental.instance.copySshCommand', (machine) => contact.copyCommand(machine));
  store.add(
    deps.commands.register('gpuRental.terminalProfile', async () => {
      const account = accountFor(deps.accounts);
      await listedInstances(deps.fleet, whileReadingInstances);
      // In the window of an instance, a terminal is one of that instance, as all others of the window.
      const host = hostInAuthority(sshAuthority());
      const isHere = host && deps.ssh.aliasOf(account(), host.instanceId) === host.alias;
      const instanceId = isHere === true ? host.instanceId : await choose(undefined);
      if (instanceId === undefined) {
        return undefined;
      }
      const options = await terminals({ instanceId, account });
      if (!options) {
        return undefined;
      }
      showOnceOpen(options, store);
      return terminalProfile(options);
    }),
  );
  store.add(preparing(deps, contact, connector));
  store.add(deps.commands.register('gpuRental.removeSshEntries', () => removeSshEntries(deps, connector)));
  store.add(new GraceAdvice(deps));
  store.add(new EntryFollower(deps, connector.folders));
  store.add(new EntryCleaner(deps, connector.folders, connector.platforms, deps.globalState));
  return store;
}

/** Registers what opens, lists and ends terminals that keep running. Returns what makes one. */
function openingTerminals(deps: ConnectDeps, contact: Contact, store: DisposableStore) {
  const terminals: KeptTerminals = store.add(
    new KeptTerminals(deps, (left) => withManualStep(() => reattach(all, left))),
  );
  const all = { ...deps, contact, terminals };
  store.add(
    new LostTerminals({
      ...all,
      reattach: (ones, open) => withManualStep(() => reattach(all, ones, open)),
    }),
  );
  const explained = new Set<string>();
  const make = async (machine: HeldMachine, despiteOverride?: boolean) => {
    const login = await contact.logIn(machine, despiteOverride);
    if (!login) {
      return undefined;
    }
    const { instanceId, account } = machine;
    const { alias, seen } = login;
    const isLacking = terminals.isWanted && seen !== undefined && seen.tmux !== 'there';
    if (isLacking && seen.tmux === 'installable' && !explained.has(alias)) {
      explained.add(alias);
      offerTmux(all, machine, alias, () => contact.openTerminal(machine));
    }
    return contact.looks(machine, {
      ...terminals.begin(login, { instanceId, accountKey: account().key }),
      ...(isLacking ? { message: endsWithConnection(contact.name(instanceId)) } : {}),
    });
  };
  contact.openTerminal = async (machine, despiteOverride) => {
    const options = await make(machine, despiteOverride);
    if (options) {
      showTerminal(options);
    }
  };
  store.add(
    deps.commands.register('gpuRental.terminal.runProgram', ({ program, ...terminal }) => {
      const account = () => accountStill(deps.accounts, terminal.accountKey);
      account();
      const machine = { instanceId: terminal.instanceId, account };
      showTerminal(contact.looks(machine, terminals.running(terminal, program)));
    }),
  );
  store.add(deps.instanceGroups.addInstanceRows(new TerminalRows(terminals)));
  const on = (
    id: 'gpuRental.terminal.reattach' | 'gpuRental.terminal.end',
    run: (terminal: KeptTerminal) => Promise<void>,
  ) =>
    store.add(
      deps.commands.register(id, async (target) => {
        const terminal = await chosenTerminal(all, target);
        if (terminal) {
          await withManualStep(() => run(terminal));
        }
      }),
    );
  on('gpuRental.terminal.reattach', (terminal) => reattach(all, [terminal]));
  on('gpuRental.terminal.end', (terminal) => end(all, terminal));
  return make;
}

/** Registers what other features reach an instance by. */
function preparing(deps: ConnectDeps, contact: Contact, { folders, platforms }: Connector): Disposable {
  const store = new DisposableStore();
  store.add(
    deps.commands.register('gpuRental.openShared', (place) =>
      withManualStep(() => openShared({ ...deps, folders, platforms }, place)),
    ),
  );
  store.add(
    deps.commands.register(
      'gpuRental.prepareSsh',
      async ({ instanceId, accountKey, isEntryOnly, isForTerminal }) => {
        const account = () => accountStill(deps.accounts, accountKey);
        const machine = { instanceId, account };
        let alias: string | undefined;
        await withManualStep(async () => {
          alias =
            isEntryOnly === true
              ? (await contact.writeEntry(machine)).alias
              : await contact.reach(machine, isForTerminal);
        });
        account();
        return alias;
      },
    ),
  );
  store.add(
    deps.commands.register('gpuRental.prepareSshOfSeveral', async ({ instanceId, accountKey }) => {
      const account = () => accountStill(deps.accounts, accountKey);
      try {
        const { alias } = await contact.reachUnseen({ instanceId, account });
        account();
        return { alias };
      } catch (error) {
        deps.log.warn(`Instance ${instanceId} could not be reached: ${String(error)}`);
        return { problem: reasonOf(error) ?? t('could not log in') };
      }
    }),
  );
  return store;
}

/**
 * Toggles agent forwarding. It is off by default: root on an untrusted machine can use a forwarded agent while
 * connected.
 */
async function changeAgentForwarding({ ssh }: ConnectDeps, contact: Contact, machine: HeldMachine) {
  const { instanceId, account } = machine;
  const entry = await ssh.entry(ssh.aliasOf(account(), instanceId));
  const turnOn = entry?.forwardAgent !== true;
  if (
    await confirm({
      message: turnOn
        ? t('Let “{0}” use your SSH agent?', contact.name(instanceId))
        : t('Stop letting “{0}” use your SSH agent?', contact.name(instanceId)),
      detail: turnOn
        ? t(
            'While you are connected, the owner of that machine can log in elsewhere with every key in your agent. The machine belongs to a stranger. Reconnect for the change to take effect.',
          )
        : t('The change applies to new connections.'),
      button: turnOn ? t('Forward the Agent') : labelOf('gpuRental.port.stopForwarding'),
    })
  ) {
    await contact.writeEntry(machine, { forwardAgent: turnOn });
  }
}

/** Shows the terminal of a profile: if the panel is hidden, the editor creates it invisibly. */
function showOnceOpen({ name }: Pick<vscode.TerminalOptions, 'name'>, store: DisposableStore): void {
  const subscription = store.add(
    vscode.window.onDidOpenTerminal((terminal) => {
      if (terminal.creationOptions.name === name) {
        subscription.dispose();
        terminal.show();
      }
    }),
  );
}

/** Removes everything that was written for SSH; instances are not changed. */
async function removeSshEntries({ ssh }: ConnectDeps, { platforms }: Connector): Promise<void> {
  if (
    await confirm({
      message: t('Remove everything that GPU Rental wrote for SSH?'),
      detail: t(
        'The Include lines in your SSH config, the entries of instances and their known host keys are removed. Your own lines, your keys and the instances stay. Connecting adds them again.',
      ),
      button: t('Remove'),
    })
  ) {
    await withManualStep(async () => {
      try {
        await ssh.removeAll();
      } finally {
        await platforms.keepOnly([]);
      }
      message('info', t('The SSH entries are removed.'));
    });
  }
}
