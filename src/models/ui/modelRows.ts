import * as vscode from 'vscode';
import type { JobRowTarget } from '../../commandSpecs';
import { runCommand } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { plainItem } from '../../editor/plainRow';
import type { GroupRow, InstanceRows } from '../../editor/treeGroups';
import { machinePlanText, mayEndMachine } from '../../jobs/model/jobText';
import type { Jobs } from '../../jobs/store/jobs';
import { formatMoney } from '../../model/money';
import type { InstanceWork } from '../../store/instances/workOnInstances';
import { text } from '../../util/text';
import { servingFacts } from '../model/servingText';
import type { ServedModel, ServedModels } from '../store/servedModels';

/** The models that instances serve, as rows below them. */
export class ModelRows implements InstanceRows {
  readonly onDidChange;
  private readonly nodes = new Map<string, JobRowTarget>();

  constructor(private readonly servedModels: Pick<ServedModels, 'all' | 'onDidChange'>) {
    this.onDidChange = servedModels.onDidChange;
  }

  rows(instanceId: number): readonly GroupRow[] {
    return servedOn(this.servedModels, instanceId).map((model) => ({
      node: this.node(model.id),
      item: () => itemOf(model),
      onPage: { kind: 'work', parts: partsOf(model) },
    }));
  }

  /** Returns the same object for the same model, so that refreshes do not move the selection. */
  private node(jobId: string): JobRowTarget {
    const known = this.nodes.get(jobId) ?? { jobId };
    this.nodes.set(jobId, known);
    return known;
  }
}

function servedOn({ all }: Pick<ServedModels, 'all'>, instanceId: number): readonly ServedModel[] {
  return all.filter((one) => one.instanceId === instanceId && !one.isOver);
}

function itemOf(model: ServedModel): vscode.TreeItem {
  const { id, name, repository, state, perHour } = model;
  const item = new vscode.TreeItem(name);
  item.id = `model-${id}`;
  item.description = localize(state);
  item.tooltip = [
    repository,
    ...(perHour === undefined ? [] : [t('{0}/h', formatMoney(perHour))]),
    ...factsOf(model).map(({ label, value }) => `${localize(label)}: ${localize(value)}`),
  ].join('\n');
  item.iconPath = new vscode.ThemeIcon('sparkle');
  item.contextValue = ';model;';
  return plainItem(item);
}

function factsOf({ serving, cost }: ServedModel) {
  return servingFacts(serving, cost);
}

/** The page names the model itself among the work on the instance. */
function partsOf(model: ServedModel): readonly GroupRow[] {
  return factsOf(model).map(({ id, label, value }) => ({
    node: {},
    item: () => {
      const item = new vscode.TreeItem(`${model.name}: ${localize(label)}`);
      item.id = `model-${model.id}-${id}`;
      item.description = localize(value);
      return plainItem(item);
    },
  }));
}

/** Returns the served models as work on their instances. */
export function workOfModels(
  servedModels: Pick<ServedModels, 'all' | 'onDidChange'>,
  jobs: Pick<Jobs, 'find'>,
): InstanceWork {
  return {
    rows: (instanceId) =>
      servedOn(servedModels, instanceId).map(({ id, name, state }) => {
        const row = jobs.find(id);
        return {
          id,
          name,
          state,
          ...(row && mayEndMachine(row) ? { ends: machinePlanText(row) } : {}),
          open: {
            name: text('Show Log of Model'),
            run: () => runCommand('gpuRental.job.showLog', { jobId: id }),
          },
        };
      }),
    onDidChange: servedModels.onDidChange,
  };
}
