import * as vscode from 'vscode';
import { showOnce } from '../../editor/showOnce';
import type { Redactor } from '../../util/redact';

/** Codes that are told once. */
export function showBackupCodes(codes: readonly string[], redactor: Redactor): Promise<void> {
  codes.forEach((code) => {
    redactor.addSecret(code);
  });
  return showOnce({
    title: vscode.l10n.t('Backup Codes: Shown This Once'),
    placeholder: vscode.l10n.t('Each code works once, when your phone is not at hand. Store them safely.'),
    lines: codes,
    fileName: 'backup-codes.txt',
    closeQuestion: vscode.l10n.t('Close without storing the backup codes?'),
    closeDetail: vscode.l10n.t('They are not shown again. You can make new ones later.'),
  });
}
