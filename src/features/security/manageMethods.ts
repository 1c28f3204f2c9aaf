import * as vscode from 'vscode';
import { mayHaveTakenEffect } from '../../api/errors';
import { localize } from '../../editor/localize';
import { labelProblem } from '../../model/accounts/secondFactor';
import type { RemovedTfaMethod, TfaMethod, TfaStatus } from '../../model/accounts/tfa';
import type { Services } from '../../services';
import type { Account } from '../../store/ports';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import { showBackupCodes, tellIfFewLeft, tellVoidCodes } from './backupCodes';
import { remover } from './lostAnswers';
import { prove } from './proof';
import { whileReading } from './waiting';
import { methodName } from './words';

type Deps = Pick<Services, 'accounts' | 'clock' | 'redactor'>;

/** Renames a method or makes it the primary one. */
export async function updateMethod(account: Account, wantedId: number | undefined): Promise<boolean> {
  const method = await pickMethod(account, wantedId, vscode.l10n.t('Change a Second Factor'));
  if (!method) {
    return false;
  }
  const rename = { label: `$(edit) ${vscode.l10n.t('Rename')}` };
  const primary = { label: `$(star) ${vscode.l10n.t('Make Primary')}` };
  const action = await vscode.window.showQuickPick([rename, ...(method.isPrimary ? [] : [primary])], {
    title: methodName(method),
    ignoreFocusOut: true,
  });
  if (action === primary) {
    await account.client.tfa.update(method.id, { isPrimary: true });
    return true;
  }
  const label =
    action === rename
      ? await vscode.window.showInputBox({
          title: vscode.l10n.t('Rename {0}', methodName(method)),
          prompt: vscode.l10n.t('At most 30 characters.'),
          ignoreFocusOut: true,
          value: method.label ?? '',
          validateInput: (value) => {
            const problem = labelProblem(value);
            return problem && localize(problem);
          },
        })
      : undefined;
  if (label === undefined || label.trim() === '') {
    return false;
  }
  await account.client.tfa.update(method.id, { label: label.trim() });
  return true;
}

/** Removes a method once it is clear what that means, and once another proof was given. */
export async function removeMethod(
  deps: Deps,
  account: Account,
  wantedId: number | undefined,
): Promise<boolean> {
  const { user, status } = await whileReading(async () => ({
    user: await deps.accounts.refreshUser(),
    status: await account.client.tfa.status(),
  }));
  const isLegacy = user.tfaStatus === 'legacy' && status.methods.length === 0;
  const method = isLegacy
    ? undefined
    : await pickMethod(account, wantedId, vscode.l10n.t('Remove a Second Factor'), status);
  if ((!isLegacy && !method) || !(await confirmRemoval(method, isLegacy || status.methods.length <= 1))) {
    return false;
  }
  const remove = remover(account.client, method);
  const removed = await prove({
    title: vscode.l10n.t('Confirm the Removal'),
    question: method
      ? vscode.l10n.t('How do you want to prove that it is you, to remove {0}?', methodName(method))
      : vscode.l10n.t('How do you want to prove that it is you, to turn 2FA off?'),
    client: account.client,
    person: user,
    clock: deps.clock,
    use: (proof, signal) => remove(proof, { signal }),
  });
  if (!removed) {
    return false;
  }
  void vscode.window.showInformationMessage(removedText(removed, isLegacy));
  if (removed.remaining !== undefined) {
    // That few backup codes are left is worth a hint and no error.
    void tellIfFewLeft(account.client).catch(() => undefined);
  }
  return true;
}

function removedText({ remaining }: RemovedTfaMethod, isLegacy: boolean): string {
  if (remaining === undefined) {
    return isLegacy
      ? vscode.l10n.t('2FA is off. You can set it up again with an authenticator app or text messages.')
      : vscode.l10n.t('2FA is off. The backup codes are void.');
  }
  return remaining === 1
    ? vscode.l10n.t('The second factor was removed. One is left.')
    : vscode.l10n.t('The second factor was removed. {0} are left.', remaining);
}

async function confirmRemoval(method: TfaMethod | undefined, isLast: boolean): Promise<boolean> {
  const remove = isLast ? vscode.l10n.t('Turn 2FA Off') : vscode.l10n.t('Remove');
  const chosen = await vscode.window.showWarningMessage(
    method
      ? vscode.l10n.t('Remove {0}?', methodName(method))
      : vscode.l10n.t('Remove the older form of 2FA from this account?'),
    {
      modal: true,
      detail: !method
        ? vscode.l10n.t(
            '2FA is off afterwards, and the key alone opens the account until you set 2FA up again. There are no backup codes to lose.',
          )
        : isLast
          ? vscode.l10n.t(
              'It is the last one: 2FA is off afterwards, all backup codes are void, and the key alone opens the account.',
            )
          : vscode.l10n.t('The other methods and the backup codes stay as they are.'),
    },
    remove,
  );
  return chosen === remove;
}

/** Makes ten new codes; older ones are void from then on. */
export async function regenerateBackupCodes(deps: Deps, account: Account): Promise<boolean> {
  const user = await whileReading(() => deps.accounts.refreshUser());
  if (user.tfaStatus !== 'enabled') {
    void vscode.window.showInformationMessage(
      vscode.l10n.t('Backup codes come with 2FA. Add a second factor first.'),
    );
    return false;
  }
  const make = vscode.l10n.t('Make New Codes');
  const chosen = await vscode.window.showWarningMessage(
    vscode.l10n.t('Make new backup codes?'),
    { modal: true, detail: vscode.l10n.t('Every older backup code is void from then on.') },
    make,
  );
  if (chosen !== make) {
    return false;
  }
  let codes: readonly string[] | undefined;
  const lost: unknown[] = [];
  try {
    codes = await prove({
      title: vscode.l10n.t('Confirm New Backup Codes'),
      client: account.client,
      person: user,
      clock: deps.clock,
      use: async (proof, signal) => {
        try {
          return await account.client.tfa.regenerateBackupCodes(proof, { signal });
        } catch (error) {
          if (mayHaveTakenEffect(error)) {
            lost.push(error);
            throw new UserError(codesLost, { cause: error });
          }
          throw error;
        }
      },
    });
  } finally {
    if (lost.length > 0 && !codes) {
      void tellVoidCodes();
    }
  }
  if (codes) {
    await showBackupCodes(codes, deps.redactor);
  }
  return codes !== undefined;
}

/** They may have been made; what proved it counts once, so it takes another code. */
const codesLost = text(
  'The new backup codes did not arrive, and the older ones may be void. Make new ones with another code.',
);

async function pickMethod(
  account: Account,
  wantedId: number | undefined,
  title: string,
  known?: TfaStatus,
): Promise<TfaMethod | undefined> {
  const { methods } = known ?? (await whileReading(() => account.client.tfa.status()));
  const wanted = methods.find((method) => method.id === wantedId);
  if (wanted) {
    return wanted;
  }
  if (methods.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('This account has no second factor.'));
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(
    methods.map((method) => ({
      label: methodName(method),
      description: method.isPrimary ? vscode.l10n.t('primary') : '',
      method,
    })),
    { title, placeHolder: vscode.l10n.t('Which one?'), ignoreFocusOut: true },
  );
  return picked?.method;
}
