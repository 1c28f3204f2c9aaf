import * as vscode from 'vscode';
import { countOfList, listProblems, problemRow, withAge } from '../../editor/listRows';
import { localize, reasonOf, t } from '../../editor/localize';
import { spendable, type User } from '../../model/accounts/account';
import { permissionCategories } from '../../model/accounts/apiKey';
import { countMethods, secondFactorStatusOf } from '../../model/accounts/secondFactor';
import { formatMoney } from '../../model/money';
import { spanOfHours, hoursOfCredit } from '../../model/quote';
import type { Services } from '../../services';
import { matchKeys } from '../../ssh/localKeys';
import type { Account } from '../../store/accounts/accounts';
import { burnNow, signsOf, type BoundSign } from '../../store/instances/burn';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import {
  activityItem,
  apiKeyItem,
  backupCodesItem,
  creditItem,
  keptSecretItem,
  keyItem,
  methodItem,
  noneItem,
  partItem,
  secretItem,
  sshKeyItem,
  secondFactorStateText,
  userItem,
  AccountNodes,
  type AccountNode,
} from './accountItems';
import { listsOf, partIds, type AccountParts, type PartId } from './accountParts';
import { teamItem, teamNodes } from './teamRows';

/** How long a revealed value stays visible (ms). */
const revealMs = 10_000;

type Deps = Pick<
  Services,
  'accounts' | 'fleet' | 'volumes' | 'clock' | 'accountGroups' | 'keyAccess' | 'ssh' | 'log'
>;

/** The account view: user, money, key, second factor, keys, variables, roles. */
export class AccountTree implements vscode.TreeDataProvider<object>, Disposable {
  private readonly changed = new vscode.EventEmitter<object | undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly nodes = new AccountNodes();
  private readonly foreign = new WeakMap<object, () => vscode.TreeItem>();
  private readonly owned = new DisposableStore();
  /** Ends what is revealed. */
  private readonly hiding = this.owned.add(new MutableDisposable<Disposable>());
  private revealed: { readonly accountKey: string; readonly secretName: string } | undefined;
  /** The key of the user's record that `place` belongs to. */
  private placedKey: string | undefined;
  private place = '';

  constructor(
    private readonly deps: Deps,
    private readonly parts: AccountParts,
  ) {
    const changed = () => {
      this.changed.fire(undefined);
    };
    this.owned.add(this.changed);
    this.owned.add(parts.onDidChange(changed));
    this.owned.add(deps.fleet.onDidChange(changed));
    this.owned.add(deps.volumes.onDidChange(changed));
    this.owned.add(deps.accountGroups.onDidChange(changed));
    this.owned.add(deps.keyAccess.onDidChange(changed));
  }

  getChildren(node?: object): object[] {
    const account = this.deps.accounts.active;
    if (!account) {
      return [];
    }
    if (!node) {
      return this.roots();
    }
    if (!this.nodes.isOwn(node)) {
      return [];
    }
    if (node.kind === 'part') {
      return this.partRows(node.part);
    }
    return node.kind === 'group' ? this.groupRows(node.groupId) : [];
  }

  getTreeItem(node: object): vscode.TreeItem {
    const account = this.deps.accounts.active;
    const own = this.nodes.isOwn(node) && account ? this.itemOf(node, account) : undefined;
    if (own) {
      // Without an id, the editor knows a row by its label and loses it when the label changes.
      own.id ??= `account-${JSON.stringify(node)}`;
    }
    return own ? readable(own) : (this.foreign.get(node)?.() ?? new vscode.TreeItem(''));
  }

  getParent(): undefined {
    return undefined;
  }

  /** Reveals a value of the active account for a short time. */
  reveal(secretName: string): void {
    const { accounts, clock } = this.deps;
    if (!accounts.active) {
      return;
    }
    this.revealed = { accountKey: accounts.active.key, secretName };
    this.changed.fire(undefined);
    this.hiding.value = clock.schedule(() => {
      this.revealed = undefined;
      this.changed.fire(undefined);
    }, revealMs);
  }

  dispose(): void {
    this.owned.dispose();
  }

  private roots(): object[] {
    const groups = this.deps.accountGroups.groups.filter((group) => group.rows().length > 0);
    return [
      this.nodes.of({ kind: 'user' }),
      this.nodes.of({ kind: 'credit' }),
      this.nodes.of({ kind: 'key' }),
      ...this.userSshKey(),
      ...partIds.map((part) => this.nodes.of({ kind: 'part', part })),
      this.nodes.of({ kind: 'activity' }),
      ...groups.map(({ id }) => this.nodes.of({ kind: 'group', groupId: id })),
    ];
  }

  /** Returns the row for the key in the user's own record, if there is one. */
  private userSshKey(): object[] {
    const sshKey = this.deps.accounts.active?.user.sshKey;
    if (sshKey === undefined) {
      return [];
    }
    if (this.placedKey !== sshKey) {
      this.placedKey = sshKey;
      this.place = '';
      void this.findPlace(sshKey);
    }
    return [this.nodes.of({ kind: 'userSshKey' })];
  }

  /** Finds the key on this computer; the result is only a mark in the row. */
  private async findPlace(sshKey: string): Promise<void> {
    try {
      const [local] = matchKeys(await this.deps.ssh.localKeys(), [sshKey]);
      if (local && this.placedKey === sshKey) {
        this.place = local.inAgent ? t('in the SSH agent') : t('on this computer');
        this.changed.fire(undefined);
      }
    } catch (error) {
      this.deps.log.warn(`SSH keys of this computer could not be read: ${String(error)}`);
    }
  }

  private groupRows(groupId: string): object[] {
    const rows = this.deps.accountGroups.groups.find(({ id }) => id === groupId)?.rows() ?? [];
    return rows.map((row) => {
      this.foreign.set(row.node, () => row.item());
      return row.node;
    });
  }

  private partRows(part: PartId): object[] {
    const lists = listsOf[part];
    const states = lists.map((list) => {
      this.parts.open(list);
      return this.parts.state(list);
    });
    const reasons = states.map((state) => ('error' in state ? reasonOf(state.error) : undefined));
    const problems = lists.flatMap((list, index) => {
      const reason = reasons[index];
      // A key that may read none of the lists is one problem.
      const isKnown = reason !== undefined && reasons.indexOf(reason) < index;
      return isKnown
        ? []
        : listProblems(this.parts.state(list)).map((problem) =>
            this.nodes.of({ kind: 'problem', part: list, problem }),
          );
    });
    const rows = this.rowsOf(part);
    const isNone =
      rows.length === 0 && states.every((state) => state.kind === 'ready' && state.skipped === undefined);
    return [...problems, ...(isNone ? [this.nodes.of({ kind: 'none', part })] : rows)];
  }

  private rowsOf(part: PartId): AccountNode[] {
    const { parts, nodes } = this;
    switch (part) {
      case 'secondFactor': {
        const status = parts.value('secondFactor');
        return status === undefined || countMethods(status) === 0
          ? []
          : [
              ...status.methods.map(({ id }) => nodes.of({ kind: 'secondFactorMethod', methodId: id })),
              nodes.of({ kind: 'backupCodes' }),
            ];
      }
      case 'apiKeys':
        return (parts.value('apiKeys') ?? []).map(({ id }) => nodes.of({ kind: 'apiKey', apiKeyId: id }));
      case 'secrets':
        return [
          ...(parts.value('keptSecrets') ?? []).map(({ name }) =>
            nodes.of({ kind: 'secret', secretName: name, isKeptHere: true }),
          ),
          ...(parts.value('secrets') ?? []).map(({ name }) => nodes.of({ kind: 'secret', secretName: name })),
        ];
      case 'teamRoles':
        return teamNodes(parts).map((node) => nodes.of(node));
    }
  }

  private itemOf(node: AccountNode, account: Account): vscode.TreeItem | undefined {
    const { parts } = this;
    const { user } = account;
    switch (node.kind) {
      case 'user':
        return userItem(account);
      case 'credit':
        return this.creditRow(account);
      case 'key':
        return keyItem(
          user,
          parts.value('apiKeys')?.find(({ id }) => id === user.keyId) ?? this.deps.keyAccess.key,
          permissionCategories.filter((category) => this.deps.keyAccess.lacks(category)),
        );
      case 'userSshKey':
        return user.sshKey === undefined ? undefined : sshKeyItem(user.sshKey, this.place);
      case 'activity':
        return activityItem();
      case 'part':
        return partItem(node.part, this.figureOf(node.part, user));
      case 'group': {
        const group = this.deps.accountGroups.groups.find(({ id }) => id === node.groupId);
        const item = new vscode.TreeItem(group?.label ?? '', vscode.TreeItemCollapsibleState.Collapsed);
        item.iconPath = new vscode.ThemeIcon(group?.icon ?? 'folder');
        item.description = group?.description?.() ?? '';
        return item;
      }
      case 'none':
        return noneItem(node.part, this.secondFactorState(user) === 'legacy');
      case 'problem':
        return problemRow(node.problem, {
          name: node.part,
          state: parts.state(node.part),
          now: this.deps.clock.now(),
        });
      case 'secondFactorMethod':
      case 'backupCodes':
      case 'apiKey':
      case 'secret':
        return this.leafItem(node, account);
      case 'teamBalance':
      case 'teamMember':
      case 'changeTeam':
      case 'teamRole':
        return teamItem(node, parts);
    }
  }

  private figureOf(part: PartId, user: User): string {
    // People are what a team is known by.
    const list = part === 'teamRoles' ? 'teamMembers' : part;
    const value = this.parts.value(list);
    const state = this.parts.state(list);
    const here = part === 'secrets' ? (this.parts.value('keptSecrets')?.length ?? 0) : 0;
    const count = Array.isArray(value) ? countOfList(value.length + here, state) : '';
    const figure = part === 'secondFactor' ? secondFactorStateText(this.secondFactorState(user)) : count;
    return withAge(figure, state, this.deps.clock.now());
  }

  /** Returns `tfa_status`; `undefined` while neither the user's record nor the 2FA settings reveal it. */
  private secondFactorState(user: User): string | undefined {
    const status = this.parts.value('secondFactor');
    return status ? secondFactorStatusOf(user, status) : user.tfaStatus;
  }

  private leafItem(
    node: Extract<AccountNode, { kind: 'secondFactorMethod' | 'backupCodes' | 'apiKey' | 'secret' }>,
    { key: accountKey, user }: Account,
  ): vscode.TreeItem | undefined {
    const { parts, revealed } = this;
    switch (node.kind) {
      case 'secondFactorMethod': {
        const method = parts.value('secondFactor')?.methods.find(({ id }) => id === node.methodId);
        return method && methodItem(method, this.deps.clock.now());
      }
      case 'backupCodes': {
        const status = parts.value('secondFactor');
        return status && backupCodesItem(status);
      }
      case 'apiKey': {
        const key = parts.value('apiKeys')?.find(({ id }) => id === node.apiKeyId);
        return key && apiKeyItem(key, key.id === user.keyId);
      }
      case 'secret': {
        if (node.isKeptHere) {
          const kept = parts.value('keptSecrets')?.find(({ name }) => name === node.secretName);
          return kept && keptSecretItem(kept, this.deps.clock.now());
        }
        const secret = parts.value('secrets')?.find(({ name }) => name === node.secretName);
        const isRevealed = revealed?.accountKey === accountKey && revealed.secretName === secret?.name;
        return secret && secretItem(secret, isRevealed);
      }
    }
  }

  /** Credit is what the account can spend; the balance appears beside it (docs/service/users.md#record). */
  private creditRow({ user }: Account): vscode.TreeItem {
    const money = spendable(user);
    if (money === undefined) {
      return creditItem(t('unknown'), '', '');
    }
    const burn = burnNow(this.deps);
    const hours = hoursOfCredit(money, burn.rate);
    const lasts = hours === undefined ? '' : lastsText(signsOf(burn).credit, localize(spanOfHours(hours)));
    const tooltip = [
      t('Credit: {0}', user.credit === undefined ? '?' : formatMoney(user.credit, 2)),
      t('Balance: {0}', user.balance === undefined ? '?' : formatMoney(user.balance, 2)),
    ].join('\n');
    return creditItem(formatMoney(money, 2), lasts, tooltip);
  }
}

function lastsText(sign: BoundSign, time: string): string {
  switch (sign) {
    case '':
      return t('lasts {0} with your running instances', time);
    case '≤ ':
      return t('lasts at most {0} with your running instances', time);
    case '≥ ':
      return t('lasts at least {0} with your running instances', time);
    case '≈ ':
      return t('lasts about {0} with your running instances', time);
  }
}

/**
 * Puts the whole row into its tooltip, for rows that are cut off and for screen readers, which read only the tooltip.
 */
function readable(item: vscode.TreeItem): vscode.TreeItem {
  const parts = [item.label, item.description].filter(
    (part): part is string => typeof part === 'string' && part !== '',
  );
  item.tooltip ??= parts.join('\n');
  item.accessibilityInformation ??= { label: parts.join(', ') };
  return item;
}
