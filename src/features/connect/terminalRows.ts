import * as vscode from 'vscode';
import type { TerminalTarget } from '../../commandSpecs';
import { runCommand } from '../../editor/commands';
import { t } from '../../editor/localize';
import { labelOf } from '../../editor/titles';
import type { GroupRow, InstanceRows } from '../../editor/treeGroups';
import type { KeptOnMachine } from '../../ssh/terminals';
import type { KeptTerminals } from './keptTerminals';

/** Rows for the terminals that keep running on an instance without this window. */
export class TerminalRows implements InstanceRows {
  readonly onDidChange;
  private readonly nodes = new Map<string, TerminalTarget>();

  constructor(private readonly terminals: Pick<KeptTerminals, 'leftOn' | 'onDidChange'>) {
    this.onDidChange = terminals.onDidChange;
  }

  rows(instanceId: number): readonly GroupRow[] {
    return this.terminals.leftOn(instanceId).map(({ name, last }) => {
      const node = this.node(instanceId, name);
      return {
        node,
        item: () => item(instanceId, name, last),
        onPage: {
          kind: 'work',
          open: {
            name: labelOf('gpuRental.terminal.reattach'),
            run: () => runCommand('gpuRental.terminal.reattach', node),
          },
        },
      };
    });
  }

  /** Returns the same object for the same terminal, so that refreshes do not move the selection. */
  private node(instanceId: number, terminalName: string): TerminalTarget {
    const key = `${instanceId} ${terminalName}`;
    const known = this.nodes.get(key) ?? { instanceId, terminalName };
    this.nodes.set(key, known);
    return known;
  }
}

function item(instanceId: number, name: string, last: KeptOnMachine | undefined): vscode.TreeItem {
  const row = new vscode.TreeItem(t('Terminal {0}', name));
  row.id = `kept-terminal-${instanceId}-${name}`;
  row.description = stateText(last);
  row.tooltip = t('Keeps running without a window. Until it prints something, it does not count as use.');
  row.iconPath = new vscode.ThemeIcon('terminal');
  row.contextValue = ';keptTerminal;';
  return row;
}

/** The command is a word of the machine; nothing is known of one that was not looked at since it was closed. */
function stateText(last: KeptOnMachine | undefined): string {
  return last === undefined
    ? t('running')
    : last.isShown
      ? t('{0}, open elsewhere', last.command)
      : last.command;
}
