import * as vscode from 'vscode';
import { localize, t } from '../../editor/localize';
import { UserError } from '../../util/errors';
import type { Log } from '../../util/log';

/** Returns the editor's error for a failure. */
export function toFileError(error: unknown, log: Log): vscode.FileSystemError {
  if (error instanceof vscode.FileSystemError) {
    return error;
  }
  if (error instanceof UserError) {
    log.info(`A template was not saved: ${error.name}`);
    return new vscode.FileSystemError(localize(error.text));
  }
  log.error('A template could not be read or saved', error);
  return vscode.FileSystemError.Unavailable(t('Something unexpected happened. See the log for details.'));
}
