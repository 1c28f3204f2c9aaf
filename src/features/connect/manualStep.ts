import * as vscode from 'vscode';
import { localize, t } from '../../editor/localize';
import { suggest } from '../../editor/message';
import { ManualStepError } from '../../ssh/userConfig';

/** Runs an action; if the SSH config must not be changed, offers to copy the line to paste. */
export async function withManualStep(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof ManualStepError)) {
      throw error;
    }
    const copy = () => vscode.env.clipboard.writeText(error.line);
    await suggest<unknown>(
      'error',
      localize(error.text),
      { label: t('Copy Line'), run: copy },
      {
        label: t('Open SSH Config'),
        run: async () => {
          await copy();
          await vscode.window.showTextDocument(vscode.Uri.file(error.file));
        },
      },
    );
  }
}
