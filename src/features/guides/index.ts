import * as vscode from 'vscode';
import type { Guide } from '../../commandSpecs';
import { t } from '../../editor/localize';
import { pickOne } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import type { Services } from '../../services';
import type { Disposable } from '../../util/disposable';

/** Registers *Open Guide…*, which shows a page about jobs, notebooks, other tools or agents; no network is needed. */
export function register({
  commands,
  extensionUri,
}: Pick<Services, 'commands' | 'extensionUri'>): Disposable {
  return commands.register('gpuRental.openGuide', async (wanted) => {
    const guide = wanted ?? (await chooseGuide());
    if (guide !== undefined) {
      await show(vscode.Uri.joinPath(extensionUri, 'dist', 'guides', `${guide}.md`));
    }
  });
}

async function chooseGuide(): Promise<Guide | undefined> {
  const rows: readonly { readonly label: string; readonly description: string; readonly guide: Guide }[] = [
    { guide: 'jobs', label: t('Jobs'), description: t('run a command to its end and fetch its outputs') },
    { guide: 'notebooks', label: t('Notebooks'), description: t('use kernels of an instance') },
    {
      guide: 'tools',
      label: t('Instances in Other Tools'),
      description: t('Ansible, GNU parallel, ClusterShell and workers'),
    },
    { guide: 'agents', label: t('Agents'), description: t('let AI agents look, ask and work') },
  ];
  const picked = await pickOne(rows, {
    title: titleOf('gpuRental.openGuide'),
    placeHolder: t('Which one?'),
  });
  return picked?.guide;
}

/** Shows a page as it is meant to be read, or its text where the editor has no preview of Markdown. */
async function show(page: vscode.Uri): Promise<void> {
  try {
    // The list of commands lacks it until its extension has been loaded, which the command does.
    await vscode.commands.executeCommand('markdown.showPreview', page);
  } catch {
    await vscode.window.showTextDocument(page);
  }
}
