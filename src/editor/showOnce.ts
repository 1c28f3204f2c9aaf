import * as vscode from 'vscode';
import { plainLabel } from '../util/plainLabel';
import { confirm } from './confirm';
import { t } from './localize';
import { reportProblem } from './message';
import type { PickRow } from './plainRow';
import { pickOne } from './quickPick';
import { saveFile } from './saveFile';

export interface ShownOnce {
  readonly title: string;
  readonly placeholder: string;
  /** The values that are shown once, one per line. */
  readonly lines: readonly string[];
  /** Label of the row that ends it. */
  readonly stored?: string;
  /** Proposed file name. */
  readonly fileName: string;
  /** Keeps the values in the list of secrets, if the user wants that; returns the name. */
  readonly keep?: () => Promise<string>;
  /** The question if the user closes the list without confirming that the values are stored. */
  readonly closeQuestion: string;
  readonly closeDetail: string;
}

interface Row extends PickRow {
  readonly action?: 'copy' | 'save' | 'keep' | 'stored';
}

/**
 * Shows values that the service reveals only once, until the user confirms that they are stored. Keeps and logs
 * nothing.
 */
export async function showOnce(shown: ShownOnce): Promise<void> {
  const rows: Row[] = [
    { icon: 'copy', label: t('Copy'), action: 'copy' },
    { icon: 'save', label: t('Save to a File…'), action: 'save' },
    ...(shown.keep ? [{ icon: 'key', label: t('Keep It on This Computer'), action: 'keep' as const }] : []),
    { icon: 'check', label: shown.stored ?? t('I Have Stored It'), action: 'stored' },
    { label: '', kind: vscode.QuickPickItemKind.Separator },
    ...shown.lines.map((label) => ({ label })),
  ];
  for (;;) {
    const picked = await pickOne(rows, {
      title: shown.title,
      placeHolder: shown.placeholder,
      ignoreFocusOut: true,
    });
    if (picked?.action === 'stored' || (!picked && (await mayClose(shown)))) {
      return;
    }
    if (picked?.action === 'keep' && (await keep(shown).catch(reportProblem))) {
      return;
    }
    if (picked?.action === 'copy') {
      await copy(shown).catch(reportProblem);
    } else if (picked?.action === 'save') {
      await save(shown).catch(reportProblem);
    }
  }
}

async function keep({ keep: store }: ShownOnce): Promise<true> {
  const name = (await store?.()) ?? '';
  void vscode.window.setStatusBarMessage(`${t('Saved')}: ${plainLabel(name)}`, 3000);
  return true;
}

async function copy({ lines }: ShownOnce): Promise<void> {
  await vscode.env.clipboard.writeText(lines.join('\n'));
  void vscode.window.setStatusBarMessage(t('Copied'), 3000);
}

async function save({ title, lines, fileName }: ShownOnce): Promise<void> {
  if (await saveFile({ title, name: fileName, content: `${lines.join('\n')}\n`, isPrivate: true })) {
    void vscode.window.setStatusBarMessage(t('Saved'), 3000);
  }
}

async function mayClose({ closeQuestion, closeDetail }: ShownOnce): Promise<boolean> {
  return confirm({ message: closeQuestion, detail: closeDetail, button: t('Close Anyway') });
}
