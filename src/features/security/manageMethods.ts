import { mayHaveTakenEffect } from '../../api/errors';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { askLine, pickOne } from '../../editor/quickPick';
import { labelOf, titleOf } from '../../editor/titles';
import {
  countMethods,
  labelProblem,
  type RemovedSecondFactorMethod,
  type SecondFactorMethod,
  type SecondFactorStatus,
} from '../../model/accounts/secondFactor';
import type { Services } from '../../services';
import type { Account } from '../../store/accounts/accounts';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import { showBackupCodes, warnIfFewLeft, reportVoidCodes } from './backupCodes';
import { remover } from './lostAnswers';
import { methodName } from './methodText';
import { proveFactor } from './proof';
import { readSecondFactor, whileReading } from './waiting';

type Deps = Pick<Services, 'accounts' | 'clock' | 'redactor'>;

/** Renames a method or makes it the primary one. */
export async function updateMethod(account: Account, wantedId: number | undefined): Promise<boolean> {
  const method = await pickMethod(account, wantedId, titleOf('gpuRental.tfa.updateMethod'));
  if (!method) {
    return false;
  }
  const rename = { icon: 'edit', label: titleOf('gpuRental.instance.rename') };
  const primary = { icon: 'star', label: t('Make Primary') };
  const action = await pickOne([rename, ...(method.isPrimary ? [] : [primary])], {
    title: methodName(method),
    ignoreFocusOut: true,
  });
  if (action === primary) {
    await account.client.secondFactor.update(method.id, { isPrimary: true });
    return true;
  }
  const label =
    action === rename
      ? await askLine({
          title: t('Rename {0}', methodName(method)),
          prompt: t('At most 30 characters.'),
          ignoreFocusOut: true,
          value: method.label ?? '',
          problem: (value) => (value.trim() === '' ? t('Enter a name.') : labelProblem(value)),
        })
      : undefined;
  if (label === undefined) {
    return false;
  }
  await account.client.secondFactor.update(method.id, { label: label.trim() });
  return true;
}

/** Removes a method after a confirmation and another proof. */
export async function removeMethod(
  deps: Deps,
  account: Account,
  wantedId: number | undefined,
): Promise<boolean> {
  const { user, status, state } = await readSecondFactor(deps.accounts, account);
  const isLegacy = state === 'legacy' && countMethods(status) === 0;
  const method = isLegacy
    ? undefined
    : await pickMethod(account, wantedId, titleOf('gpuRental.tfa.removeMethod'), status);
  // A method that could not be read exists as well.
  const isLast = isLegacy || countMethods(status) <= 1;
  if ((!isLegacy && !method) || !(await confirmRemoval(method, isLast))) {
    return false;
  }
  const remove = remover(account.client, method);
  const removed = await proveFactor({
    title: titleOf('gpuRental.tfa.removeMethod'),
    question: t('How do you want to verify that it is you?'),
    client: account.client,
    person: user,
    clock: deps.clock,
    use: (proof, signal) => remove(proof, { signal }),
  });
  if (!removed) {
    return false;
  }
  message('info', removedText(removed, isLegacy));
  if (removed.remaining !== undefined) {
    // The number of backup codes left is only a hint, so ignore errors.
    void warnIfFewLeft(account.client).catch(() => undefined);
  }
  return true;
}

function removedText({ remaining }: RemovedSecondFactorMethod, isLegacy: boolean): string {
  if (remaining === undefined) {
    return isLegacy
      ? t('2FA is off. You can set it up again with an authenticator app or text messages.')
      : t('2FA is off. Your backup codes no longer work.');
  }
  return t('The 2FA method was removed. Methods left: {0}.', remaining);
}

function confirmRemoval(method: SecondFactorMethod | undefined, isLast: boolean): Promise<boolean> {
  return confirm({
    message: method
      ? t('Remove {0}?', methodName(method))
      : t('Remove the older form of 2FA from this account?'),
    detail: !method
      ? t(
          '2FA is off afterwards, and the API key alone opens the account until you set 2FA up again. You lose no backup codes.',
        )
      : isLast
        ? t(
            'It is the last method. 2FA is off afterwards, all backup codes stop working, and the API key alone opens the account.',
          )
        : t('Your other methods and your backup codes stay.'),
    button: isLast ? t('Turn 2FA Off') : t('Remove'),
  });
}

/** Creates ten new backup codes, which replace all older ones. */
export async function regenerateBackupCodes(deps: Deps, account: Account): Promise<boolean> {
  const { user, state } = await readSecondFactor(deps.accounts, account);
  if (state !== 'enabled') {
    message('info', t('Backup codes come with 2FA. Add a 2FA method first.'));
    return false;
  }
  const isWanted = await confirm({
    message: t('Make new backup codes?'),
    detail: t('All older backup codes stop working.'),
    button: labelOf('gpuRental.tfa.regenerateBackupCodes'),
  });
  if (!isWanted) {
    return false;
  }
  let codes: readonly string[] | undefined;
  const lost: unknown[] = [];
  try {
    codes = await proveFactor({
      title: titleOf('gpuRental.tfa.regenerateBackupCodes'),
      client: account.client,
      person: user,
      clock: deps.clock,
      use: async (proof, signal) => {
        try {
          return await account.client.secondFactor.regenerateBackupCodes(proof, { signal });
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
      reportVoidCodes();
    }
  }
  if (codes) {
    showBackupCodes(codes, deps.redactor);
  }
  return codes !== undefined;
}

/** The service may have created the codes. A proof counts only once, so a retry needs another code. */
const codesLost = text(
  'The new backup codes did not arrive, and the older ones may no longer work. Make new ones, or a lost phone locks you out.',
);

async function pickMethod(
  account: Account,
  wantedId: number | undefined,
  title: string,
  known?: SecondFactorStatus,
): Promise<SecondFactorMethod | undefined> {
  const { methods, skipped } = known ?? (await whileReading(() => account.client.secondFactor.status()));
  const wanted = methods.find((method) => method.id === wantedId);
  if (wanted) {
    return wanted;
  }
  if (methods.length === 0) {
    message(
      'info',
      skipped === 0
        ? t('This account has no 2FA method.')
        : t('The 2FA methods of this account are of a kind that only the web console can change.'),
    );
    return undefined;
  }
  const picked = await pickOne(
    methods.map((method) => ({
      label: methodName(method),
      description: method.isPrimary ? t('primary') : '',
      method,
    })),
    { title, placeHolder: t('Which one?'), ignoreFocusOut: true },
  );
  return picked?.method;
}
