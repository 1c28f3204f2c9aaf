import * as vscode from 'vscode';
import { localize, t } from '../../editor/localize';
import { suggest } from '../../editor/message';
import { BlockLeftError, ManualStepError } from '../../ssh/userConfig';

/** Runs an action; if the SSH config must not be changed, offers to open it, and to copy a line that is to be pasted. */
export async function withManualStep(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (error instanceof BlockLeftError) {
      await suggest('error', localize(error.text), {
        label: t('Open SSH Config'),
        run: () => open(error.file),
      });
      return;
    }
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
          await open(error.file);
        },
      },
    );
  }
}

function open(file: string): Thenable<unknown> {
  return vscode.window.showTextDocument(vscode.Uri.file(file));
}
