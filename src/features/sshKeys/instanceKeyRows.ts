import * as vscode from 'vscode';
import type { InstanceKeyTarget, InstanceTarget } from '../../commandArguments';
import { reasonOf, t } from '../../editor/localize';
import type { GroupRow, InstanceRows } from '../../editor/treeGroups';
import type { SshKey } from '../../model/accounts/account';
import type { Services } from '../../services';
import { parsePublicKey } from '../../ssh/publicKey';
import { followAccount } from '../../shared/followAccount';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import { keyName } from './keyWords';

type Keys =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'ready'; readonly keys: readonly SshKey[] };

type Deps = Pick<Services, 'accounts' | 'log'>;

/** The keys that an instance accepts, below its row. They are read when the user expands them. */
export class InstanceKeyRows implements InstanceRows, Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<undefined>());
  readonly onDidChange = this.changed.event;
  private readonly lists = new Map<number, Keys>();
  /** Reuses the nodes, so that refreshes do not move the selection. */
  private readonly nodes = new Map<string, InstanceTarget>();

  constructor(private readonly deps: Deps) {
    this.store.add(
      followAccount(deps.accounts, () => {
        this.lists.clear();
        this.nodes.clear();
      }),
    );
  }

  rows(instanceId: number): readonly GroupRow[] {
    return [
      {
        node: this.node(`${instanceId}`, { instanceId }),
        item: () => headingItem(instanceId, this.lists.get(instanceId)),
        children: () => this.keyRows(instanceId),
      },
    ];
  }

  /** Refreshes the keys of an instance if they have been read before. Never rejects. */
  async refresh(instanceId: number): Promise<void> {
    if (this.lists.has(instanceId)) {
      await this.read(instanceId);
    }
  }

  dispose(): void {
    this.store.dispose();
  }

  private keyRows(instanceId: number): readonly GroupRow[] {
    const list = this.lists.get(instanceId);
    if (!list) {
      void this.read(instanceId);
    }
    const note = this.node(`${instanceId} note`, { instanceId });
    switch (list?.kind) {
      case 'ready':
        return list.keys.length === 0
          ? [{ node: note, item: noneItem }]
          : list.keys.map((key) => ({
              node: this.node(`${instanceId} ${key.id}`, { instanceId, keyId: key.id }),
              item: () => keyItem(instanceId, key),
            }));
      case 'failed':
        return [{ node: note, item: () => errorItem(instanceId, list.error) }];
      case 'loading':
      case undefined:
        return [{ node: note, item: loadingItem }];
    }
  }

  private async read(instanceId: number): Promise<void> {
    const { active } = this.deps.accounts;
    if (!active) {
      return;
    }
    if (this.lists.get(instanceId)?.kind !== 'ready') {
      this.lists.set(instanceId, { kind: 'loading' });
    }
    let keys: Keys;
    try {
      keys = { kind: 'ready', keys: (await active.client.instances.keys(instanceId)).items };
    } catch (error) {
      this.deps.log.info(`The keys of instance ${instanceId} could not be read: ${String(error)}`);
      keys = { kind: 'failed', error };
    }
    if (active.key === this.deps.accounts.active?.key) {
      this.lists.set(instanceId, keys);
      this.changed.fire(undefined);
    }
  }

  private node(key: string, target: InstanceTarget | InstanceKeyTarget): InstanceTarget {
    const known = this.nodes.get(key) ?? target;
    this.nodes.set(key, known);
    return known;
  }
}

function headingItem(instanceId: number, list: Keys | undefined): vscode.TreeItem {
  const item = new vscode.TreeItem(t('SSH keys'), vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `keys-${instanceId}`;
  item.description = list?.kind === 'ready' ? String(list.keys.length) : '';
  item.tooltip = t('SSH keys that this instance accepts');
  item.iconPath = new vscode.ThemeIcon('key');
  item.contextValue = ';instanceKeys;';
  return item;
}

function keyItem(instanceId: number, { id, publicKey, name }: SshKey): vscode.TreeItem {
  const item = new vscode.TreeItem(keyName(publicKey, name));
  const parsed = parsePublicKey(publicKey);
  item.id = `key-${instanceId}-${id}`;
  item.description = parsed?.fingerprint ?? '';
  item.tooltip = parsed === undefined ? '' : `${parsed.type} ${parsed.fingerprint}`;
  item.iconPath = new vscode.ThemeIcon('key');
  item.contextValue = ';instanceKey;';
  return item;
}

function noneItem(): vscode.TreeItem {
  const item = new vscode.TreeItem(t('No keys attached'));
  item.tooltip = t('The instance may accept keys that your account had at rental without listing them');
  return item;
}

function loadingItem(): vscode.TreeItem {
  const item = new vscode.TreeItem(t('Loading keys…'));
  item.iconPath = new vscode.ThemeIcon('loading~spin');
  return item;
}

function errorItem(instanceId: number, error: unknown): vscode.TreeItem {
  const item = new vscode.TreeItem(t('Could not load. Select to retry'));
  item.description = reasonOf(error) ?? '';
  item.tooltip = item.description;
  item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
  item.command = {
    command: 'gpuRental.refreshInstanceKeys',
    title: t('Retry'),
    arguments: [{ instanceId } satisfies InstanceTarget],
  };
  return item;
}
