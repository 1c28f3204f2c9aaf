import * as vscode from 'vscode';
import { listProblems, problemRow } from '../../editor/listRows';
import { localize, t } from '../../editor/localize';
import type { InstanceNote } from '../../editor/treeGroups';
import type { Instance } from '../../model/instances/instance';
import { nameInRow } from '../../model/instances/instanceLabel';
import { stateOf, isReady } from '../../model/instances/instanceState';
import { formatMoney } from '../../model/money';
import type { Services } from '../../services';
import { watchAccounts } from '../../shared/followAccount';
import { burnNow, signsOf } from '../../store/instances/burn';
import { isComplete, isCurrent } from '../../store/instances/listed';
import { DisposableStore, MutableDisposable } from '../../util/disposable';
import { durationText } from '../../util/duration';
import { NextRead } from '../../util/nextRead';
import { plainLabel } from '../../util/plainLabel';
import { instanceItem, instanceTooltip } from './instanceItem';
import { loading, InstanceNodes, type InstanceNode } from './instanceNodes';

type Deps = Pick<
  Services,
  'accounts' | 'fleet' | 'volumes' | 'clock' | 'trees' | 'instanceGroups' | 'secondFactor'
>;

type ReadyFleet = Extract<Services['fleet']['state'], { readonly kind: 'ready' }>;

/** Updates the age of a list in a visible view (ms). */
const tickMs = 60_000;
/** A sign that work goes on says enough for this time (ms). */
export const firstSignMs = 10_000;

/** The instances view. A list that could not be read has a row for the error and is never just empty. */
export class InstanceTree implements vscode.TreeDataProvider<object>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly nodes = new InstanceNodes();
  private readonly store = new DisposableStore();
  private readonly timer = this.store.add(new MutableDisposable());
  /** Runs while the list of this account has never been read. */
  private readonly lateTimer = this.store.add(new MutableDisposable());
  private isLate = false;
  private isOneOfSeveral = false;
  /** Names that several instances of a list share. */
  private twins: { readonly of: readonly Instance[]; readonly names: ReadonlySet<string> } = {
    of: [],
    names: new Set(),
  };
  private readonly knownAccounts = new NextRead(() => this.deps.accounts.known());

  constructor(private readonly deps: Deps) {
    this.store.add(this.changed);
    this.store.add(
      deps.fleet.onDidChange(() => {
        this.changed.fire(undefined);
        this.decorate();
      }),
    );
    this.store.add(deps.volumes.onDidChange(() => this.decorate()));
    this.store.add(deps.trees['gpuRental.instances'].view.onDidChangeVisibility(() => this.decorate()));
    let accountKey = deps.accounts.active?.key;
    this.store.add(
      watchAccounts(deps.accounts, () => {
        const key = deps.accounts.active?.key;
        // A changed credit does not require new rows.
        if (key !== accountKey || deps.accounts.state.kind !== 'signedIn') {
          accountKey = key;
          this.changed.fire(undefined);
          // A failure only affects the account name in the title.
          this.countAccounts().catch(() => undefined);
        }
        this.decorate();
      }),
    );
    this.store.add(deps.instanceGroups.onDidChange(() => this.changed.fire(undefined)));
    this.decorate();
  }

  async getChildren(node?: object): Promise<object[]> {
    if (!this.deps.accounts.active) {
      this.watchLoading(false);
      return [];
    }
    if (node) {
      return this.nodes.isOwn(node)
        ? this.childrenOf(node)
        : this.nodes.foreign((await this.nodes.rowOf(node)?.children?.()) ?? [], node);
    }
    const nodes = [...this.instanceNodes(), ...this.groupNodes()];
    // Without a row, the view says that nothing is charged, but a volume costs money without any instance.
    const areVolumesRead = !['idle', 'loading'].includes(this.deps.volumes.state.kind);
    const shown = nodes.length === 0 && !areVolumesRead ? [loading] : nodes;
    this.watchLoading(shown[0] === loading);
    return shown;
  }

  /** A first read that waits for the service says so, with the next step, in place of a sign that never ends. */
  private watchLoading(isLoading: boolean): void {
    if (!isLoading) {
      this.lateTimer.value = undefined;
      this.isLate = false;
      return;
    }
    if (!this.isLate && this.lateTimer.value === undefined) {
      this.lateTimer.value = this.deps.clock.schedule(() => {
        const { accounts, secondFactor } = this.deps;
        const key = accounts.active?.key;
        this.lateTimer.value = undefined;
        // Before a code is entered, the service has answered.
        this.isLate = key === undefined || !secondFactor.isAwaited(key);
        this.changed.fire(undefined);
      }, firstSignMs);
    }
  }

  private childrenOf(node: InstanceNode): object[] {
    const { instanceGroups } = this.deps;
    if (node.kind === 'instance') {
      return this.nodes.foreign(instanceGroups.rowsOf(node.instanceId), node);
    }
    const group = node.kind === 'group' && instanceGroups.groups.find(({ id }) => id === node.groupId);
    return group ? this.nodes.foreign(group.rows(), node) : [];
  }

  private groupNodes(): InstanceNode[] {
    return this.deps.instanceGroups.groups
      .filter((group) => group.rows().length > 0)
      .sort((one, other) => Number(other.isOpen === true) - Number(one.isOpen === true))
      .map((group) => this.nodes.group(group));
  }

  private instanceNodes(): InstanceNode[] {
    const { state } = this.deps.fleet;
    if (state.kind !== 'ready') {
      return state.kind === 'failed' ? [...listProblems(state)] : [loading];
    }
    const { instances, missing, skipped } = state.value;
    this.nodes.keepOnly(new Set(instances.map((instance) => instance.id)));
    return [
      ...listProblems({ ...state, skipped }),
      ...instances.map((instance) => this.nodes.instance(instance.id)),
      ...(missing === undefined || missing === 0 ? [] : [this.nodes.partial(missing)]),
    ];
  }

  /** Returns the row of an instance, to reveal it. */
  nodeOf(instanceId: number): object {
    return this.nodes.instance(instanceId);
  }

  getParent(node: object): object | undefined {
    return this.nodes.parentOf(node);
  }

  getTreeItem(node: object): vscode.TreeItem {
    const row = this.nodes.rowOf(node);
    if (row) {
      return row.item();
    }
    return this.nodes.isOwn(node) ? this.ownItem(node) : new vscode.TreeItem('');
  }

  private ownItem(node: InstanceNode): vscode.TreeItem {
    switch (node.kind) {
      case 'instance': {
        const instance = this.deps.fleet.find(node.instanceId);
        const item = instance
          ? instanceItem(
              instance,
              this.deps.fleet.facts(instance.id),
              this.deps.clock.now(),
              this.notesOf(instance.id),
              this.hasTwin(instance),
            )
          : new vscode.TreeItem(`#${node.instanceId}`);
        if (this.deps.instanceGroups.hasRows(node.instanceId)) {
          item.collapsibleState = vscode.TreeItemCollapsibleState.Collapsed;
        }
        return item;
      }
      case 'group':
        return this.groupItem(node.groupId);
      case 'loading':
        return this.isLate ? lateItem() : loadingItem(t('Loading…'));
      case 'loadError':
      case 'skipped':
        return problemRow(node, {
          name: 'instances',
          state: this.deps.fleet.state,
          now: this.deps.clock.now(),
          consequence: t('They exist and cost money.'),
        });
      case 'partial':
        return this.partialItem(node.missing);
    }
  }

  /** Returns true if another instance has the same name; messages then show the number too, as the row does. */
  private hasTwin(instance: Instance): boolean {
    const { state } = this.deps.fleet;
    const list = state.kind === 'ready' ? state.value.instances : [];
    if (list !== this.twins.of) {
      const seen = new Set<string>();
      const names = new Set<string>();
      for (const { label } of list.map(nameInRow)) {
        (seen.has(label) ? names : seen).add(label);
      }
      this.twins = { of: list, names };
    }
    return this.twins.names.has(nameInRow(instance).label);
  }

  private groupItem(groupId: string): vscode.TreeItem {
    const group = this.deps.instanceGroups.groups.find(({ id }) => id === groupId);
    const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(group?.label ?? '', group?.isOpen === true ? Expanded : Collapsed);
    item.id = `group-${groupId}`;
    item.description = group?.description?.() ?? String(group?.rows().length ?? 0);
    item.iconPath = new vscode.ThemeIcon(group?.icon ?? 'folder');
    item.contextValue = `;group;${groupId};`;
    return item;
  }

  private notesOf(instanceId: number): readonly InstanceNote[] {
    const { fleet, instanceGroups } = this.deps;
    const { state } = fleet;
    const isMissing = state.kind === 'ready' && state.value.unconfirmed?.includes(instanceId) === true;
    const notes = instanceGroups.notesOf(instanceId);
    return isMissing
      ? [{ row: t('missing from the last list, checking…'), lines: () => [] }, ...notes]
      : notes;
  }

  resolveTreeItem(item: vscode.TreeItem, node: object): vscode.TreeItem {
    const instance =
      this.nodes.isOwn(node) && node.kind === 'instance' ? this.deps.fleet.find(node.instanceId) : undefined;
    if (instance) {
      item.tooltip = instanceTooltip(
        instance,
        this.deps.fleet.facts(instance.id),
        this.deps.clock.now(),
        this.notesOf(instance.id),
      );
    }
    return item;
  }

  dispose(): void {
    this.store.dispose();
  }

  private partialItem(missing: number): vscode.TreeItem {
    const item = new vscode.TreeItem(t('Instances that were not sent: {0}', missing));
    item.id = 'partial';
    item.tooltip = t('The service counted more instances than it sent. They exist and cost money.');
    item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
    item.command = { command: 'gpuRental.refresh', title: t('Retry') };
    return item;
  }

  /** Returns the name of the account if there are several. */
  private accountName(): string {
    const account = this.deps.accounts.active;
    if (account?.isDemo === true) {
      return t('Demo');
    }
    return account && this.isOneOfSeveral ? plainLabel(account.name) : '';
  }

  private async countAccounts(): Promise<void> {
    const isOneOfSeveral = (await this.knownAccounts.ask()).length > 1;
    if (isOneOfSeveral !== this.isOneOfSeveral) {
      this.isOneOfSeveral = isOneOfSeveral;
      this.decorate();
    }
  }

  /** Updates badge, message and description of the view. */
  private decorate(): void {
    const { view } = this.deps.trees['gpuRental.instances'];
    const { state } = this.deps.fleet;
    const account = this.deps.accounts.active;
    this.timer.value = undefined;
    if (!account || state.kind !== 'ready') {
      view.badge = undefined;
      view.description = this.accountName();
      this.setMessage('');
      return;
    }
    const now = this.deps.clock.now();
    const states = state.value.instances.map(
      (instance) => [instance, stateOf(instance, this.deps.fleet.facts(instance.id), now)] as const,
    );
    const running = states.filter(([, kind]) => isReady(kind)).length;
    view.badge =
      running === 0
        ? undefined
        : {
            value: running,
            tooltip: t('Running: {0}', running),
          };
    const burn = burnNow(this.deps);
    const cost =
      states.length === 0 && burn.perHour === 0 && isComplete(state.value)
        ? ''
        : t('{0}/h', `${signsOf(burn).rate}${formatMoney(burn.perHour)}`);
    view.description = [this.accountName(), cost].filter((part) => part !== '').join(' · ');
    this.setMessage(ageText(state, now));
    if (view.visible) {
      this.timer.value = this.deps.clock.schedule(() => this.decorate(), tickMs);
    }
  }

  /** Sets the message only if it changed: the editor delays rows for 200 ms after each assignment. */
  private setMessage(message: string): void {
    const { view } = this.deps.trees['gpuRental.instances'];
    if (message !== (view.message ?? '')) {
      view.message = message;
    }
  }
}

/** Returns the age of a list that may be wrong by now; empty for a current one. */
function ageText(state: ReadyFleet, now: number): string {
  const isEmpty = state.value.instances.length === 0 && isComplete(state.value);
  if (state.error !== undefined) {
    // The row above the list has the time.
    return isEmpty ? '' : t('Your instances still cost money.');
  }
  if (isCurrent(state, now)) {
    return '';
  }
  const age = localize(durationText(now - state.fetchedAt));
  return isEmpty ? t('No instances as of {0} ago. Refresh the list.', age) : t('Shown as of {0} ago.', age);
}

function lateItem(): vscode.TreeItem {
  const item = new vscode.TreeItem(t('The service has not answered yet'));
  item.description = t('Select to retry.');
  item.iconPath = new vscode.ThemeIcon('loading~spin');
  item.id = 'loading';
  item.command = { command: 'gpuRental.refresh', title: t('Retry') };
  return item;
}

function loadingItem(label: string): vscode.TreeItem {
  const item = new vscode.TreeItem(label);
  item.iconPath = new vscode.ThemeIcon('loading~spin');
  item.id = 'loading';
  return item;
}
