import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import { suggest } from '../../editor/message';
import { UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import { isJupyter, type Jupyter } from './jupyterTypes';

const jupyterId = 'ms-toolsai.jupyter';

/** The Jupyter extension, or why it can't show our instances. */
export async function findJupyter(): Promise<Jupyter | 'missing' | 'tooOld' | 'remoteWindow'> {
  const extension = vscode.extensions.getExtension<unknown>(jupyterId);
  if (!extension) {
    // In a remote window the Jupyter extension runs beside the files, where our extension can't reach it.
    return vscode.env.remoteName === undefined ? 'missing' : 'remoteWindow';
  }
  const exported = extension.isActive ? extension.exports : await activated(extension);
  return isJupyter(exported) ? exported : 'tooOld';
}

async function activated(extension: vscode.Extension<unknown>): Promise<unknown> {
  try {
    return await extension.activate();
  } catch (cause) {
    const reason = plainLabel(cause instanceof Error ? cause.message : String(cause));
    throw new UserError(text('The Jupyter extension did not start: {0}', reason), { cause });
  }
}

/** Explains why notebooks can't use instances, and offers the step that changes it. */
export async function explainAbsence(absence: 'missing' | 'tooOld' | 'remoteWindow'): Promise<void> {
  switch (absence) {
    case 'missing':
      await suggest(
        'info',
        t('Notebooks use instances through the Jupyter extension, which is not installed.'),
        {
          label: t('Install Jupyter'),
          run: () => vscode.commands.executeCommand('workbench.extensions.installExtension', jupyterId),
        },
      );
      return;
    case 'tooOld':
      await suggest('info', t('The Jupyter extension is too old to use instances.'), {
        label: t('Show Jupyter'),
        run: () => vscode.commands.executeCommand('workbench.extensions.search', `@id:${jupyterId}`),
      });
      return;
    case 'remoteWindow':
      await suggest(
        'info',
        t(
          'Notebooks use instances in local windows only. Open the notebook in a local window, or open the instance in a remote window.',
        ),
      );
  }
}
