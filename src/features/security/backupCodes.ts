import type { Client } from '../../api/client';
import { commandAction, titledAction } from '../../editor/commands';
import { t } from '../../editor/localize';
import { message, reportProblem } from '../../editor/message';
import { showOnce } from '../../editor/showOnce';
import { titleOf } from '../../editor/titles';
import type { Redactor } from '../../util/redact';

/** Shows the backup codes, which the service sends only once. Nothing waits for them, so the views refresh below. */
export function showBackupCodes(codes: readonly string[], redactor: Redactor): void {
  codes.forEach((code) => {
    redactor.addSecret(code);
  });
  showOnce({
    title: t('Backup Codes: Shown Only Once'),
    placeholder: t("Each code works once. Store them safely, for when you don't have your phone."),
    lines: codes,
    stored: t('I Have Stored Them'),
    fileName: 'backup-codes.txt',
    closeQuestion: t('Close without storing the backup codes?'),
    closeDetail: t('They are shown only once. You can make new ones later.'),
  }).catch(reportProblem);
}

/** Shows how many backup codes are left. Without any, a lost phone locks the user out of the account. */
export function showRemainingCodes(remaining: number): void {
  message(
    remaining === 0 ? 'warning' : 'info',
    remaining === 0
      ? t('That was your last backup code. Make new ones, or a lost phone locks you out.')
      : t('The backup code was accepted. Codes left: {0}.', remaining),
    remaining <= 3 && titledAction('gpuRental.tfa.regenerateBackupCodes'),
  );
}

/** Reads and shows how many backup codes are left, after a request whose answer does not include the number. */
export async function warnIfFewLeft(client: Client): Promise<void> {
  const { enabled, backupCodesRemaining: remaining } = await client.secondFactor.status();
  if (enabled && remaining !== undefined && remaining <= 3) {
    showRemainingCodes(remaining);
  }
}

/** Shows that the first method was added but the answer with its backup codes was lost. */
export function reportLostCodes(): void {
  offerNewCodes(
    t(
      'The new backup codes did not arrive, and the older ones may no longer work. Make new ones, or a lost phone locks you out.',
    ),
  );
}

/** Shows that new backup codes may have been created although the answer was lost. */
export function reportVoidCodes(): void {
  offerNewCodes(
    t(
      'The new backup codes did not arrive, and the older ones may no longer work. Make new ones, or a lost phone locks you out.',
    ),
  );
}

function offerNewCodes(sentence: string): void {
  const make = commandAction(
    titleOf('gpuRental.tfa.regenerateBackupCodes'),
    'gpuRental.tfa.regenerateBackupCodes',
  );
  message('warning', sentence, make);
}
