import * as vscode from 'vscode';
import type { Client } from '../../api/client';
import { RefusedError } from '../../api/errors';
import type { CommandId, SshKeyTarget } from '../../commandSpecs';
import { runCommand, titledAction } from '../../editor/commands';
import { confirm } from '../../editor/confirm';
import { reportDamagedFiles } from '../../editor/damagedFiles';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import {
  inView,
  whileAsking,
  whileReadingInstances,
  whileSending,
  withCancellableProgress,
} from '../../editor/progress';
import { titleOf } from '../../editor/titles';
import type { SshKey } from '../../model/accounts/account';
import { instanceName } from '../../model/instances/instanceLabel';
import type { Services } from '../../services';
import { matchKeys } from '../../ssh/localKeys';
import { sameKey } from '../../ssh/publicKey';
import { isComplete, listedInstances } from '../../store/instances/listed';
import { sharedNotice, sharedNoticeKind } from '../../store/instances/sharedAccesses';
import { readAfter } from '../../store/readAfter';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { isCancelled, UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import { attachKey, detachKey } from './instanceKeyCommands';
import { InstanceKeyRows } from './instanceKeyRows';
import { keyClient } from './keyClient';
import { generate, pickKey, pickListed } from './keyPicker';
import { keyName } from './keyText';
import { ownKeyId, withOwnKey } from './ownKey';
import { shareAccess } from './shareAccess';
import { SshKeyTree } from './sshKeyTree';

type Deps = Pick<
  Services,
  | 'accounts'
  | 'attachedKeys'
  | 'clock'
  | 'fleet'
  | 'sshKeys'
  | 'ssh'
  | 'log'
  | 'trees'
  | 'commands'
  | 'redactor'
  | 'rentals'
  | 'instanceGroups'
  | 'network'
  | 'notices'
  | 'oneWindow'
  | 'sharedAccess'
  | 'work'
>;

/** Registers the SSH keys view, its commands, and the keys of single instances. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const { commands } = deps;
  const tree = store.add(new SshKeyTree(deps));
  deps.trees['gpuRental.sshKeys'].setProvider(tree);
  store.add(commands.register('gpuRental.ensureSshKey', (how) => ensureSshKey(deps, how)));
  store.add(commands.register('gpuRental.sshKey.add', () => addKey(deps)));
  store.add(
    commands.register('gpuRental.sshKey.generate', async () => {
      const client = keyClient(deps);
      const made = await generate(deps);
      if (made) {
        await registerKey(deps, client(), made.line);
      }
    }),
  );
  store.add(commands.register('gpuRental.sshKey.copy', (target) => copyKey(deps, target)));
  store.add(commands.register('gpuRental.sshKey.delete', (target) => deleteKey(deps, target)));
  const rows = store.add(new InstanceKeyRows(deps));
  store.add(deps.instanceGroups.addInstanceRows(rows));
  store.add(
    commands.register('gpuRental.refreshInstanceKeys', (target) =>
      inView('gpuRental.instances', () => rows.refresh(target?.instanceId)),
    ),
  );
  store.add(commands.register('gpuRental.instance.attachKey', (target) => attachKey(deps, rows, target)));
  store.add(commands.register('gpuRental.instance.detachKey', (target) => detachKey(deps, rows, target)));
  store.add(commands.register('gpuRental.instance.shareAccess', (target) => shareAccess(deps, rows, target)));
  store.add(sharedEnds(deps, rows));
  return store;
}

/** Reports ends of shared access, and has the product load while there is one to come. */
function sharedEnds(deps: Deps, rows: InstanceKeyRows): Disposable {
  const { accounts, fleet, notices, oneWindow, sharedAccess, work } = deps;
  const store = new DisposableStore();
  const isPending = () => sharedAccess.rows.some(({ endsAt }) => endsAt !== undefined);
  store.add(
    work.add({
      ready: () => sharedAccess.ready,
      isPending,
      onDidChange: (listener) => sharedAccess.onDidChange(listener),
      afterSignOut: () => (isPending() ? text('Shared access no longer ends by itself.') : undefined),
    }),
  );
  store.add(
    notices.onDidPost(({ key, kind, accountKey, data }) => {
      const ended = kind === sharedNoticeKind ? sharedNotice.safeParse(data).data : undefined;
      if (!ended || accountKey !== accounts.active?.key) {
        return;
      }
      const { instanceId, name, isOver } = ended;
      void rows.refresh(instanceId);
      oneWindow.offer(key, () => {
        const instance = fleet.find(instanceId);
        const of = instance ? plainLabel(instanceName(instance)) : `#${instanceId}`;
        if (isOver) {
          message('info', t('{0} no longer has access to {1}.', name, of));
          return;
        }
        message(
          'warning',
          t('Could not take back the access of {0} to {1}. Retrying while this editor is open.', name, of),
          titledAction('gpuRental.instance.detachKey', { instanceId }),
        );
      });
    }),
  );
  store.add(
    reportDamagedFiles(deps, sharedAccess, 'sharedAccess', {
      effect: t('A shared access no longer ends by itself. Detach its key.'),
      startOver: () => runCommand('gpuRental.instance.detachKey'),
    }),
  );
  return store;
}

/**
 * Checks before money is spent that this computer will be able to log in. Returns true if one of its keys is
 * registered or gets registered here, or if the user continues without one; false if the user cancels.
 */
async function ensureSshKey(deps: Deps, how?: { readonly isQuiet: boolean }): Promise<boolean> {
  const client = keyClient(deps);
  const reading = Promise.all([
    readRegisteredKeys(deps).catch(asUserError),
    deps.ssh.localKeys(),
    deps.ssh.unreadKeys(),
  ]);
  const [registered, local, uncompared] = await (how?.isQuiet ? reading : whileAsking(reading));
  if (registered instanceof UserError) {
    return confirm({
      message: t('Could not check whether a key of this computer is registered.'),
      detail: `${localize(registered.text)} ${t("Without a registered key you can't log in.")}`,
      button: t('Continue Without a Key'),
    });
  }
  const { items, skipped } = registered;
  const lines = items.map((key) => key.publicKey);
  const ofAccount = deps.accounts.active?.user.sshKey;
  if (matchKeys(local, ofAccount === undefined ? lines : [...lines, ofAccount]).length > 0) {
    return true;
  }
  const choice = await pickKey(deps, {
    title: t('Choose an SSH Key to Log In With'),
    placeholder:
      uncompared.length > 0
        ? t(
            'No key of this computer was found. Keys that could not be read: {0}. The log names the field.',
            uncompared.join(', '),
          )
        : skipped === 0
          ? t("No key of this computer is registered, so you can't log in to instances that you rent.")
          : t(
              'No key of this computer was found. Keys that could not be read: {0}. The log names the field.',
              skipped,
            ),
    without: t('Continue Without a Key'),
  });
  if (choice?.kind === 'key') {
    try {
      await registerKey(deps, client(), choice.line);
    } catch (error) {
      if (!(error instanceof RefusedError && error.code === 'team_ssh_keys_not_supported')) {
        throw error;
      }
      // Asked instead of refused, because a team could rent nothing otherwise.
      return confirm({
        message: t("A team account can't have SSH keys."),
        detail: t('When you connect to the instance for the first time, attach your key to it.'),
        button: t('Continue'),
      });
    }
  }
  return choice !== undefined;
}

/** Refreshes the shared list, because the check of the next machine needs the keys as well. */
async function readRegisteredKeys({ sshKeys }: Deps) {
  await sshKeys.refresh();
  const { state } = sshKeys;
  return state.kind === 'ready'
    ? { items: state.value, skipped: state.skipped ?? 0 }
    : { items: [], skipped: 0 };
}

/** Returns an error that has a text for the user; rethrows any other. */
function asUserError(error: unknown): UserError {
  if (error instanceof UserError && !isCancelled(error)) {
    return error;
  }
  throw error;
}

async function addKey(deps: Deps): Promise<void> {
  const client = keyClient(deps);
  const { items } = await whileAsking(client().sshKeys.list());
  const choice = await pickKey(
    deps,
    {
      title: titleOf('gpuRental.sshKey.add'),
      placeholder: t('Which one?'),
    },
    (key) => items.some((item) => sameKey(item.publicKey, key.line)),
  );
  if (choice?.kind === 'key') {
    await registerKey(deps, client(), choice.line);
  }
}

/** Registers a key with the account. A key that is registered already counts as success. */
async function registerKey(deps: Deps, client: Client, line: string): Promise<void> {
  const { items } = await whileAsking(client.sshKeys.list());
  const isThere = items.some((key) => sameKey(key.publicKey, line));
  const added = isThere ? Promise.resolve() : whileSending(client.sshKeys.add(line));
  await readAfter<unknown>(added, () => deps.sshKeys.refresh());
  const { state } = deps.fleet;
  if (state.kind === 'ready' && state.value.instances.length === 0) {
    message('info', t('The SSH key {0} is registered.', keyName(line)));
    return;
  }
  // The editor shows more than one line only of a message with a button.
  message(
    'info',
    t(
      'The SSH key {0} is registered. New instances accept it; attach it to those you already have.',
      keyName(line),
    ),
    titledAction('gpuRental.instance.attachKey'),
  );
}

async function copyKey(deps: Deps, target: SshKeyTarget | undefined): Promise<void> {
  const key = await chooseKey(deps, target, 'gpuRental.sshKey.copy');
  if (key) {
    await vscode.env.clipboard.writeText(key.publicKey.trim());
    vscode.window.setStatusBarMessage(t('Copied'), 4_000);
  }
}

async function deleteKey(deps: Deps, target: SshKeyTarget | undefined): Promise<void> {
  const client = keyClient(deps);
  const key = await chooseKey(deps, target, 'gpuRental.sshKey.delete');
  if (!key) {
    return;
  }
  if (key.id === ownKeyId) {
    message('info', t('This key is part of your account record. You can change it only in the web console.'));
    return;
  }
  const opens = await instancesOpenedBy(deps, client(), key.publicKey);
  const isLast = registeredKeys(deps).length === 1 && !hasUnreadKeys(deps);
  const detail = [opens, t('New instances will not accept it. The key files on this computer stay.')].join(
    '\n\n',
  );
  if (
    await confirm({
      message: t('Delete the SSH key “{0}” from your account?', keyName(key.publicKey, key.name)),
      detail: isLast ? `${detail}\n\n${t('It is your only registered key.')}` : detail,
      button: t('Delete'),
    })
  ) {
    await readAfter(client().sshKeys.remove(key.id), () => deps.sshKeys.refresh());
  }
}

/** Returns a sentence about the instances that accept the key. An instance that can't be checked is named as such. */
async function instancesOpenedBy(deps: Deps, client: Client, publicKey: string): Promise<string> {
  const instances = await listedInstances(deps.fleet, whileReadingInstances);
  const checks = await withCancellableProgress(t('Waiting for the service…'), (signal) =>
    Promise.all(
      instances.map(async (instance) => {
        try {
          const { items, skipped } = await client.instances.keys(instance.id, { signal });
          const isThere = items.some((item) => sameKey(item.publicKey, publicKey));
          return { instance, isOpen: isThere || (skipped > 0 ? undefined : false) };
        } catch (error) {
          if (isCancelled(error)) {
            throw error;
          }
          return { instance, isOpen: undefined };
        }
      }),
    ),
  );
  const named = (isOpen: boolean | undefined) =>
    checks
      .filter((check) => check.isOpen === isOpen)
      .map(({ instance }) => plainLabel(instanceName(instance)))
      .join(', ');
  const open = named(true);
  const unknown = named(undefined);
  return [
    open === ''
      ? unknown === '' && isWhole(deps)
        ? t('None of your instances accepts it now.')
        : ''
      : t('It still gives access to {0}. Detach it there to revoke access.', open),
    unknown === '' ? '' : t('Could not check: {0}.', unknown),
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function isWhole({ fleet: { state } }: Deps): boolean {
  return state.kind === 'ready' && isComplete(state.value);
}

function hasUnreadKeys({ sshKeys: { state } }: Deps): boolean {
  return state.kind === 'ready' && state.skipped !== undefined;
}

/** Returns the key of the tree node or call, or lets the user pick one. */
async function chooseKey(
  deps: Deps,
  target: SshKeyTarget | undefined,
  command: CommandId,
): Promise<SshKey | undefined> {
  if (deps.sshKeys.state.kind !== 'ready') {
    await deps.sshKeys.refresh();
  }
  const keys = registeredKeys(deps);
  const key = target ? keys.find(({ id }) => id === target.sshKeyId) : await pickListed(keys, command);
  if (target && !key) {
    throw new UserError(text('This no longer exists. Refresh the list.'));
  }
  return key;
}

/** Returns the keys that the views show. The key in the account record has the id 0 and can't be deleted. */
function registeredKeys({ sshKeys, accounts }: Deps): readonly SshKey[] {
  const { state } = sshKeys;
  return withOwnKey(state.kind === 'ready' ? state.value : [], accounts.active?.user.sshKey);
}
