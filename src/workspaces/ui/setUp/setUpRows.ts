import * as vscode from 'vscode';
import type { SetUpTarget } from '../../../commandSpecs';
import { runCommand } from '../../../editor/commands';
import { t } from '../../../editor/localize';
import { labelOf } from '../../../editor/titles';
import type { GroupRow, InstanceRows } from '../../../editor/treeGroups';
import type { SetUpSeen, SetUpStep } from '../../../model/instances/setUpSteps';
import type { Services } from '../../../services';
import { Emitter } from '../../../util/emitter';
import { wantsSetUp } from './wantsSetUp';

type State = SetUpSeen['steps'][number]['state'];

/** What a machine is set up with, below its instance. The wing loads when something of it is used. */
export class SetUpRows implements InstanceRows {
  private readonly changed = new Emitter<undefined>();
  readonly onDidChange = this.changed.event;
  private readonly nodes = new Map<string, SetUpTarget>();

  constructor(
    private readonly deps: Pick<Services, 'accounts' | 'fleet' | 'machineSetUps' | 'settings' | 'ssh'>,
  ) {
    const fire = () => this.changed.fire(undefined);
    deps.machineSetUps.onDidChange(fire);
    deps.settings.onDidChange('gpuRental.setUp', fire);
  }

  rows(instanceId: number): readonly GroupRow[] {
    const { accounts, fleet, machineSetUps, settings, ssh } = this.deps;
    const account = accounts.active;
    if (!account || fleet.find(instanceId)?.actualStatus !== 'running') {
      return [];
    }
    const steps = machineSetUps.of(ssh.aliasOf(account, instanceId), instanceId)?.steps ?? [];
    if (steps.length === 0 && !wantsSetUp(settings)) {
      return [];
    }
    const parts = steps.map(({ step, state }): GroupRow => {
      const node = this.node(instanceId, step);
      const open = {
        name: labelOf('gpuRental.setUp.showLog'),
        run: () => runCommand('gpuRental.setUp.showLog', node),
      };
      return { node, item: () => stepItem(instanceId, step, state), onPage: { kind: 'setUp', open } };
    });
    const item = () => setUpItem(instanceId, steps);
    return [{ node: this.node(instanceId), item, children: () => parts, onPage: { kind: 'setUp', parts } }];
  }

  /** Returns the same object for the same row, so that refreshes do not move the selection. */
  private node(instanceId: number, setUpStep?: SetUpStep): SetUpTarget {
    const key = `${instanceId} ${setUpStep ?? ''}`;
    const known = this.nodes.get(key) ?? { instanceId, ...(setUpStep ? { setUpStep } : {}) };
    this.nodes.set(key, known);
    return known;
  }
}

function setUpItem(instanceId: number, steps: SetUpSeen['steps']): vscode.TreeItem {
  const below = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(t('Set-Up'), steps.length > 0 ? below.Collapsed : below.None);
  item.id = `setUp-${instanceId}`;
  // The step that matters: one that failed, runs or waits.
  const rank = (state: State) =>
    typeof state === 'number' ? (state > 0 ? 0 : 3) : state === 'running' ? 1 : 2;
  const [first] = [...steps].sort((one, other) => rank(one.state) - rank(other.state));
  item.description =
    first === undefined || first.state === 0
      ? stateText(first)
      : `${stepName(first.step)}: ${stateText(first)}`;
  item.iconPath = new vscode.ThemeIcon(first ? iconOf(first.state) : 'tools');
  item.contextValue = `;setUp;${steps.some(({ step }) => step === 'environment') ? 'setUpSecrets;' : ''}`;
  return item;
}

function stepItem(instanceId: number, step: SetUpStep, state: State): vscode.TreeItem {
  const item = new vscode.TreeItem(stepName(step));
  item.id = `setUp-${instanceId}-${step}`;
  item.description = stateText({ step, state });
  item.iconPath = new vscode.ThemeIcon(iconOf(state));
  item.contextValue = `;setUpStep;${step === 'environment' ? 'setUpSecrets;' : ''}`;
  return item;
}

export function stepName(step: SetUpStep): string {
  switch (step) {
    case 'identity':
      return t('Git identity');
    case 'environment':
      return t('Secrets');
    case 'extensions':
      return t('Extensions');
    case 'dotfiles':
      return t('Dotfiles');
    case 'script':
      return t('Script of the workspace file');
  }
}

function stateText({ step, state }: Partial<SetUpSeen['steps'][number]> = {}): string {
  switch (state) {
    case undefined:
    case 'waits':
      return t('not run yet');
    case 'running':
      return t('running');
    case 0:
      return t('done');
    default:
      return step === 'extensions' ? t('failed') : t('failed with exit code {0}', state);
  }
}

function iconOf(state: State): string {
  return state === 'waits' ? 'circle-outline' : state === 'running' ? 'sync' : state === 0 ? 'pass' : 'error';
}
