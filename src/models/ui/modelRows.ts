import * as vscode from 'vscode';
import type { JobRowTarget } from '../../commandSpecs';
import { runCommand } from '../../editor/commands';
import { localize } from '../../editor/localize';
import { plainItem } from '../../editor/plainRow';
import { labelOf } from '../../editor/titles';
import type { GroupRow, InstanceRows } from '../../editor/treeGroups';
import { servingText } from '../model/servingText';
import type { ServedModel, ServedModels } from '../store/servedModels';

/** The models that instances serve, as rows below them. */
export class ModelRows implements InstanceRows {
  readonly onDidChange;
  private readonly nodes = new Map<string, JobRowTarget>();

  constructor(private readonly servedModels: ServedModels) {
    this.onDidChange = servedModels.onDidChange;
  }

  rows(instanceId: number): readonly GroupRow[] {
    const served = this.servedModels.all.filter((one) => one.instanceId === instanceId && !one.isOver);
    return served.map((model) => {
      const node = this.node(model.id);
      return {
        node,
        item: () => itemOf(model),
        onPage: {
          kind: 'work',
          open: {
            name: labelOf('gpuRental.job.showLog'),
            run: () => runCommand('gpuRental.job.showLog', node),
          },
        },
      };
    });
  }

  /** Returns the same object for the same model, so that refreshes do not move the selection. */
  private node(jobId: string): JobRowTarget {
    const known = this.nodes.get(jobId) ?? { jobId };
    this.nodes.set(jobId, known);
    return known;
  }
}

function itemOf(model: ServedModel): vscode.TreeItem {
  const item = new vscode.TreeItem(model.name);
  item.id = `model-${model.id}`;
  item.description = localize(servingText(model.serving));
  item.tooltip = model.repository;
  item.iconPath = new vscode.ThemeIcon('sparkle');
  item.contextValue = ';model;';
  return plainItem(item);
}
