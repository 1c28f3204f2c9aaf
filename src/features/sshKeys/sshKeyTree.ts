import * as vscode from 'vscode';
import { listProblems, problemRow, type ListProblem } from '../../editor/listRows';
import { t } from '../../editor/localize';
import { tooltip } from '../../editor/tooltip';
import type { SshKey } from '../../model/accounts/account';
import type { Services } from '../../services';
import { watchAccounts } from '../../shared/followAccount';
import { whileLoading } from '../../shared/reading';
import { type LocalKey, matchKeys } from '../../ssh/localKeys';
import { parsePublicKey } from '../../ssh/publicKey';
import { DisposableStore } from '../../util/disposable';
import { NextRead } from '../../util/nextRead';
import { keyName, placeOf } from './keyText';
import { ownKeyId, withOwnKey } from './ownKey';

export type SshKeyNode = { readonly kind: 'sshKey'; readonly sshKeyId: number } | ListProblem;

type Deps = Pick<Services, 'accounts' | 'clock' | 'sshKeys' | 'ssh' | 'log' | 'trees'>;

/** The account's SSH keys, with a mark on those that this computer can use. */
export class SshKeyTree implements vscode.TreeDataProvider<SshKeyNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<SshKeyNode | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly store = new DisposableStore();
  private nodes = new Map<number, SshKeyNode>();
  private local: readonly LocalKey[] = [];
  private readonly localReads = new NextRead(() => this.deps.ssh.localKeys());

  constructor(private readonly deps: Deps) {
    this.store.add(this.changed);
    const refresh = () => {
      void this.readLocal();
    };
    this.store.add(deps.sshKeys.onDidChange(refresh));
    let accountKey = deps.accounts.active?.key;
    this.store.add(
      watchAccounts(deps.accounts, () => {
        // Finding local keys starts programs, so do it only for another account and not whenever the credit changes.
        if (deps.accounts.active?.key !== accountKey) {
          accountKey = deps.accounts.active?.key;
          refresh();
        }
      }),
    );
  }

  async getChildren(node?: SshKeyNode): Promise<SshKeyNode[]> {
    const { accounts, sshKeys } = this.deps;
    if (node || !accounts.active) {
      return [];
    }
    if (sshKeys.state.kind === 'idle') {
      // The state shows the failure.
      await sshKeys.refresh({ isUnasked: true }).catch(() => undefined);
    }
    await whileLoading(sshKeys);
    const { state } = sshKeys;
    // Reuses the node of each key, so that refreshes do not move the selection.
    this.nodes = new Map(
      this.keys().map((key) => [key.id, this.nodes.get(key.id) ?? { kind: 'sshKey', sshKeyId: key.id }]),
    );
    return [...listProblems(state), ...this.nodes.values()];
  }

  getParent(): undefined {
    return undefined;
  }

  getTreeItem(node: SshKeyNode): vscode.TreeItem {
    if (node.kind !== 'sshKey') {
      return problemRow(node, {
        name: 'ssh-keys',
        state: this.deps.sshKeys.state,
        now: this.deps.clock.now(),
      });
    }
    const key = this.keys().find((one) => one.id === node.sshKeyId);
    return key ? this.keyItem(key) : new vscode.TreeItem(`#${node.sshKeyId}`);
  }

  dispose(): void {
    this.store.dispose();
  }

  private keys(): readonly SshKey[] {
    const { accounts, sshKeys } = this.deps;
    const { state } = sshKeys;
    return state.kind === 'ready' ? withOwnKey(state.value, accounts.active?.user.sshKey) : [];
  }

  private keyItem(key: SshKey): vscode.TreeItem {
    const [local] = matchKeys(this.local, [key.publicKey]);
    const isOwn = key.id === ownKeyId;
    const parsed = parsePublicKey(key.publicKey);
    const name = keyName(key.publicKey, key.name);
    const place = [isOwn ? t('of your account') : '', local ? placeOf(local) : '']
      .filter((part) => part !== '')
      .join(', ');
    const item = new vscode.TreeItem(name);
    item.id = `ssh-key-${key.id}`;
    item.description = [place, parsed?.fingerprint.slice(0, 17) ?? '']
      .filter((part) => part !== '')
      .join(' · ');
    item.iconPath = new vscode.ThemeIcon('key', local ? new vscode.ThemeColor('charts.green') : undefined);
    item.contextValue = isOwn ? ';sshKey;ownKey;' : ';sshKey;deletable;';
    item.accessibilityInformation = { label: [name, place].filter((part) => part !== '').join(', ') };
    item.tooltip = tooltip([parsed?.type ?? '', parsed?.fingerprint ?? '', place]);
    return item;
  }

  /** The local keys only add a mark; the list works without them. */
  private async readLocal(): Promise<void> {
    this.changed.fire(undefined);
    try {
      this.local = await this.localReads.ask();
      this.changed.fire(undefined);
    } catch (error) {
      this.deps.log.warn(`SSH keys of this computer could not be read: ${String(error)}`);
    }
  }
}
