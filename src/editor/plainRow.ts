import type * as vscode from 'vscode';
import { plainLabel } from '../util/plainLabel';

/**
 * A row of a quick pick. The editor draws `$(…)` in text as an icon, and the text may be untrusted, so icons have their
 * own fields.
 */
export interface PickRow extends vscode.QuickPickItem {
  /** Name of the icon before the label. */
  readonly icon?: string | undefined;
  /** Name of the icon before the detail. */
  readonly detailIcon?: string | undefined;
}

/** Returns the row for the editor, with untrusted text cleaned. */
export function plainRow<T extends PickRow>(row: T): T {
  return {
    ...row,
    label: plainText(row.label, row.icon),
    ...(row.description === undefined ? {} : { description: plainText(row.description) }),
    ...(row.detail === undefined ? {} : { detail: plainText(row.detail, row.detailIcon) }),
  };
}

/** Cleans a row of a tree, whose icon has its own field as well. */
export function plainItem<T extends Pick<vscode.TreeItem, 'label' | 'description' | 'tooltip'>>(item: T): T {
  if (typeof item.label === 'string') {
    item.label = plainLabel(item.label);
  }
  if (typeof item.description === 'string') {
    item.description = plainLabel(item.description);
  }
  if (typeof item.tooltip === 'string') {
    item.tooltip = item.tooltip.split('\n').map(plainLabel).join('\n');
  }
  return item;
}

function plainText(value: string, icon?: string): string {
  return icon === undefined ? plainLabel(value) : `$(${icon}) ${plainLabel(value)}`;
}
