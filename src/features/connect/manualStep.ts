import * as vscode from 'vscode';
import { localize, t } from '../../editor/localize';
import { ManualStepError } from '../../ssh/userConfig';

/** Runs an action; where the SSH config may not be touched, the line to paste is one click away. */
export async function withManualStep(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof ManualStepError)) {
      throw error;
    }
    const copy = t('Copy Line');
    const open = t('Open SSH Config');
    const chosen = await vscode.window.showErrorMessage(localize(error.text), copy, open);
    if (chosen === copy) {
      await vscode.env.clipboard.writeText(error.line);
    } else if (chosen === open) {
      await vscode.env.clipboard.writeText(error.line);
      await vscode.window.showTextDocument(vscode.Uri.file(error.file));
    }
  }
}
