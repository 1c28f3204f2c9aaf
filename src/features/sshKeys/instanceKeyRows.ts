import * as vscode from 'vscode';
import type { InstanceKeyTarget, InstanceTarget } from '../../commandSpecs';
import { runCommand } from '../../editor/commands';
import { countOfList, listProblems, problemRow, withAge } from '../../editor/listRows';
import { t } from '../../editor/localize';
import { momentText } from '../../editor/timeText';
import { titleOf } from '../../editor/titles';
import { tooltip } from '../../editor/tooltip';
import type { GroupRow, InstanceRows } from '../../editor/treeGroups';
import type { SshKey } from '../../model/accounts/account';
import type { SharedAccess } from '../../model/instances/sharedAccess';
import type { Services } from '../../services';
import { followAccount } from '../../shared/followAccount';
import { AccountReading } from '../../shared/reading';
import { parsePublicKey } from '../../ssh/publicKey';
import type { Account } from '../../store/accounts/accounts';
import { DisposableStore, toDisposable, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import { keyName } from './keyText';

type Keys = AccountReading<Account, readonly SshKey[]>;

type Deps = Pick<Services, 'accounts' | 'clock' | 'fleet' | 'log' | 'sharedAccess'>;

/** The keys that an instance accepts, below its row. They are read when the user expands them. */
export class InstanceKeyRows implements InstanceRows, Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<undefined>());
  readonly onDidChange = this.changed.event;
  private readonly lists = new Map<number, Keys>();
  /** Reuses the nodes, so that refreshes do not move the selection. */
  private readonly nodes = new Map<string, InstanceTarget>();

  constructor(private readonly deps: Deps) {
    this.store.add(followAccount(deps.accounts, () => toDisposable(() => this.clear())));
    this.store.add(deps.sharedAccess.onDidChange(() => this.changed.fire(undefined)));
  }

  rows(instanceId: number): readonly GroupRow[] {
    const partsOf = () => this.partsOf(instanceId);
    return [
      {
        node: this.node(`${instanceId}`, { instanceId }),
        item: () => headingItem(instanceId, this.lists.get(instanceId)?.state, this.deps.clock.now()),
        children: () => this.keyRows(instanceId),
        onPage: {
          kind: 'access',
          // Each row of the view asks for its rows, and only the page for these.
          get parts() {
            return partsOf();
          },
        },
      },
    ];
  }

  /** Refreshes the keys of one instance, or else of all that exist and have been read before. Never rejects. */
  async refresh(instanceId?: number): Promise<void> {
    const ids =
      instanceId === undefined
        ? [...this.lists.keys()].filter((id) => this.deps.fleet.find(id))
        : [instanceId];
    await Promise.all(ids.map((id) => this.read(id, false)));
  }

  dispose(): void {
    this.store.dispose();
  }

  private keyRows(instanceId: number): readonly GroupRow[] {
    const { state } = this.list(instanceId);
    if (state.kind === 'idle') {
      void this.read(instanceId, true);
    }
    const note = this.node(`${instanceId} note`, { instanceId });
    if (state.kind === 'idle' || state.kind === 'loading') {
      return [{ node: note, item: loadingItem }];
    }
    const problems = listProblems(state).map((problem) => ({
      node: this.node(`${instanceId} ${problem.kind}`, { instanceId }),
      item: () =>
        problemRow(problem, {
          name: `keys-${instanceId}`,
          state,
          now: this.deps.clock.now(),
          retry: 'gpuRental.refreshInstanceKeys',
          consequence: t('They are attached to the instance.'),
        }),
    }));
    const keys = state.kind === 'ready' ? state.value : [];
    const isNone = state.kind === 'ready' && keys.length === 0;
    return [
      ...problems,
      ...(isNone ? [{ node: note, item: noneItem }] : []),
      ...keys.map((key) => ({
        node: this.node(`${instanceId} ${key.id}`, { instanceId, keyId: key.id }),
        item: () => this.keyItem(instanceId, key),
      })),
    ];
  }

  /** What the page shows: the keys as last read, else those that were shared here. Nothing is read for it. */
  private partsOf(instanceId: number): readonly GroupRow[] {
    const state = this.lists.get(instanceId)?.state;
    const keys = state?.kind === 'ready' ? state.value : [];
    const shared = this.deps.sharedAccess.of(instanceId);
    const isRead = state?.kind === 'ready';
    const unread = isRead ? [] : shared;
    const detach = (target: InstanceKeyTarget) => ({
      kind: 'access' as const,
      open: {
        name: titleOf('gpuRental.instance.detachKey'),
        run: () => runCommand('gpuRental.instance.detachKey', target),
      },
    });
    return [
      ...(state && state.kind !== 'idle' && state.kind !== 'loading' && !(isRead && keys.length > 0)
        ? this.keyRows(instanceId)
        : []),
      ...keys.map((key) => ({
        node: this.node(`${instanceId} ${key.id}`, { instanceId, keyId: key.id }),
        item: () => this.keyItem(instanceId, key),
        onPage: detach({ instanceId, keyId: key.id }),
      })),
      ...unread.map(({ id, name, publicKey }) => ({
        node: this.node(`${instanceId} shared ${id}`, { instanceId }),
        item: () => this.keyItem(instanceId, { id: 0, publicKey, name }),
        onPage: detach({ instanceId }),
      })),
    ];
  }

  private keyItem(instanceId: number, key: SshKey): vscode.TreeItem {
    const shared = this.deps.sharedAccess.find(instanceId, key.publicKey);
    return keyItem(
      instanceId,
      shared ? { ...key, name: shared.name } : key,
      shared && this.untilText(shared),
    );
  }

  private untilText({ endsAt }: SharedAccess): string {
    const now = this.deps.clock.now();
    if (endsAt === undefined) {
      return t('shared until you take it back');
    }
    return endsAt > now
      ? t('shared until {0}', momentText(endsAt, now))
      : t('shared until {0}, not taken back yet', momentText(endsAt, now));
  }

  /** Reads the keys of an instance; never rejects, because the rows show the error. */
  private async read(instanceId: number, isUnasked: boolean): Promise<void> {
    if (this.deps.accounts.active) {
      await this.list(instanceId)
        .refresh({ isUnasked })
        .catch((error: unknown) => {
          this.deps.log.info(`The keys of instance ${instanceId} could not be read: ${String(error)}`);
        });
    }
  }

  private list(instanceId: number): Keys {
    const known = this.lists.get(instanceId);
    if (known) {
      return known;
    }
    const list: Keys = new AccountReading({
      ...this.deps,
      read: ({ client }, options) => client.instances.keys(instanceId, options),
    });
    list.onDidChange(() => {
      this.changed.fire(undefined);
    });
    this.lists.set(instanceId, list);
    return list;
  }

  /** Drops everything of an account. */
  private clear(): void {
    for (const list of this.lists.values()) {
      list.dispose();
    }
    this.lists.clear();
    this.nodes.clear();
  }

  private node(key: string, target: InstanceTarget | InstanceKeyTarget): InstanceTarget {
    const known = this.nodes.get(key) ?? target;
    this.nodes.set(key, known);
    return known;
  }
}

function headingItem(instanceId: number, state: Keys['state'] | undefined, now: number): vscode.TreeItem {
  const item = new vscode.TreeItem(t('SSH keys'), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `keys-${instanceId}`;
  item.description = state?.kind === 'ready' ? countText(state, now) : '';
  item.tooltip = t('SSH keys that this instance accepts');
  item.iconPath = new vscode.ThemeIcon('key');
  item.contextValue = ';instanceKeys;';
  return item;
}

function countText(state: Extract<Keys['state'], { readonly kind: 'ready' }>, now: number): string {
  return withAge(countOfList(state.value.length, state), state, now);
}

function keyItem(
  instanceId: number,
  { id, publicKey, name }: SshKey,
  until: string | undefined,
): vscode.TreeItem {
  const item = new vscode.TreeItem(keyName(publicKey, name));
  const parsed = parsePublicKey(publicKey);
  item.id = `key-${instanceId}-${id}`;
  item.description = until ?? parsed?.fingerprint ?? '';
  item.tooltip = tooltip([parsed === undefined ? '' : `${parsed.type} ${parsed.fingerprint}`, until ?? '']);
  item.iconPath = new vscode.ThemeIcon(until === undefined ? 'key' : 'person');
  item.contextValue = ';instanceKey;';
  return item;
}

function noneItem(): vscode.TreeItem {
  const item = new vscode.TreeItem(t('No keys attached'));
  item.tooltip = t('The instance may accept keys that your account had at rental without listing them');
  return item;
}

function loadingItem(): vscode.TreeItem {
  const item = new vscode.TreeItem(t('Loading…'));
  item.iconPath = new vscode.ThemeIcon('loading~spin');
  return item;
}
