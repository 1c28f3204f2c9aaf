import { basename } from 'node:path';
import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import { tooltip } from '../../editor/tooltip';
import type { GroupRow, TreeGroup } from '../../editor/treeGroups';
import { actionsFor } from '../../model/instances/instanceState';
import { onAccountEnd } from '../../store/accounts/accountEnds';
import { isComplete } from '../../store/instances/listed';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import { differences, savedHosts, type SavedHosts } from '../model/savedHosts';
import type { SeveralDeps } from './deps';

const stateKey = 'gpuRental.hostFiles';

/** What this workspace saved last, with a row in the instances view once that differs from the running instances. */
export class HostFilesMark implements TreeGroup, Disposable {
  readonly id = 'hostFiles';
  readonly label = t('Host Files');
  readonly icon = 'warning';
  readonly isOpen = true;
  private readonly owned = new DisposableStore();
  private readonly changed = this.owned.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;
  private readonly node = { kind: 'hostFiles' };

  constructor(
    private readonly deps: Pick<
      SeveralDeps,
      'accounts' | 'accountCleanup' | 'clock' | 'fleet' | 'log' | 'workspaceState'
    >,
  ) {
    this.owned.add(
      onAccountEnd(deps, (accountKey) => {
        if (this.kept?.accountKey === accountKey) {
          this.keep(undefined).catch((error: unknown) => {
            deps.log.warn(`The folder of the host files could not be forgotten: ${String(error)}`);
          });
        }
      }),
    );
  }

  /** What was saved last for the active account. */
  get last(): SavedHosts | undefined {
    const { kept } = this;
    return kept?.accountKey === this.deps.accounts.active?.key ? kept : undefined;
  }

  async keep(saved: SavedHosts | undefined): Promise<void> {
    await this.deps.workspaceState.update(stateKey, saved);
    this.changed.fire();
  }

  description(): string {
    return this.differences().join(' · ');
  }

  rows(): readonly GroupRow[] {
    const { last } = this;
    const texts = this.differences();
    return last && texts.length > 0 ? [{ node: this.node, item: () => item(last, texts) }] : [];
  }

  dispose(): void {
    this.owned.dispose();
  }

  private get kept(): SavedHosts | undefined {
    return savedHosts.safeParse(this.deps.workspaceState.get(stateKey)).data;
  }

  private differences(): readonly string[] {
    const { clock, fleet } = this.deps;
    const { last } = this;
    const { state } = fleet;
    if (!last || state.kind !== 'ready' || state.error !== undefined || !isComplete(state.value)) {
      return [];
    }
    const running = state.value.instances.filter(
      (one) => actionsFor(one, fleet.facts(one.id), clock.now()).canConnect,
    );
    const { ended, added } = differences(last, running);
    return [
      ...(ended.length === 0 ? [] : [t('not running: {0}', ended.join(', '))]),
      ...(added.length === 0 ? [] : [t('new: {0}', added.join(', '))]),
    ];
  }
}

function item({ folder }: SavedHosts, texts: readonly string[]): vscode.TreeItem {
  const row = new vscode.TreeItem(t('Save Again'));
  row.id = 'host-files';
  row.description = basename(folder);
  row.iconPath = new vscode.ThemeIcon('save');
  row.tooltip = tooltip([[t('Folder'), folder], ...texts]);
  row.command = { command: 'gpuRental.instance.saveHostFiles', title: t('Save Again') };
  return row;
}
