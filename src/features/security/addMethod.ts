import * as vscode from 'vscode';
import { titledAction } from '../../editor/commands';
import { t } from '../../editor/localize';
import { ask, message } from '../../editor/message';
import { askLine, pickFromList } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import {
  challengeMs,
  codeProblem,
  countMethods,
  labelProblem,
  normalCode,
  normalPhone,
  phoneProblem,
  authorizationEnd,
  type ConfirmedSecondFactorMethod,
  type NewSecondFactorMethod,
  type SecondFactorStatus,
} from '../../model/accounts/secondFactor';
import type { Services } from '../../services';
import type { Account } from '../../store/accounts/accounts';
import { authorize } from './authorization';
import { showBackupCodes, reportLostCodes } from './backupCodes';
import { sendSms, sendSmsAgain } from './challenges';
import { askCode, type CodeAnswer } from './codeBox';
import { confirmer } from './lostAnswers';
import { authorizedTime } from './methodText';
import { showTotpPanel } from './totpPanel';
import { reportUnverified } from './unverified';
import { readSecondFactor, withSending } from './waiting';

type Deps = Pick<Services, 'accounts' | 'clock' | 'redactor' | 'extensionUri'>;

/**
 * Until when methods may be added (ms since 1970), by account. The service reports only whether they may be added
 * now.
 */
export type AuthorizedUntil = Map<string, number>;

interface Addition {
  readonly account: Account;
  /** The status before the addition. */
  readonly status: SecondFactorStatus;
  readonly authorizedUntil: number | undefined;
  readonly label: string;
}

/** Authorizes a new method, verifies the app or phone, and shows the backup codes. */
export async function addMethod(deps: Deps, account: Account, authorized: AuthorizedUntil): Promise<boolean> {
  const { user, status, state } = await readSecondFactor(deps.accounts, account);
  if (state === 'legacy') {
    return replaceLegacy();
  }
  const isFirst = countMethods(status) === 0;
  if (isFirst && user.emailVerified === false) {
    await reportUnverified(account);
    return false;
  }
  if (!status.newMethodAuthorized) {
    const until = await authorize({ account: { ...account, user }, status, clock: deps.clock });
    if (until === undefined) {
      return false;
    }
    authorized.set(account.key, until);
  }
  const authorizedUntil = authorizationEnd(authorized.get(account.key), deps.clock.now());
  const type = await pickType(deps, authorizedUntil);
  const label = type && (await askLabel());
  if (type === undefined || label === undefined) {
    return false;
  }
  const addition: Addition = { account, status, authorizedUntil, label };
  const answer = type === 'totp' ? await addTotp(deps, addition) : await addSms(deps, addition);
  if (answer?.kind !== 'done') {
    return false;
  }
  message('info', t('The 2FA method was added.'));
  if (answer.value.backupCodes) {
    showBackupCodes(answer.value.backupCodes, deps.redactor);
  } else if (isFirst) {
    reportLostCodes();
  }
  return true;
}

/** The service can't add a method to the older form of 2FA, so that form must be removed first. */
async function replaceLegacy(): Promise<false> {
  await ask(
    'warning',
    {
      message: t('This account has an older form of 2FA, which allows no other methods.'),
      detail: t('Remove it first, then set up 2FA again.'),
    },
    titledAction('gpuRental.tfa.removeMethod'),
  );
  return false;
}

/** Asks for the kind of method. Shows how long methods can be added, if that is known. */
async function pickType({ clock }: Deps, authorizedUntil?: number): Promise<'totp' | 'sms' | undefined> {
  const question = t('What do you want to add?');
  const answer = await pickFromList<'totp' | 'sms'>({
    title: titleOf('gpuRental.tfa.addMethod'),
    ignoreFocusOut: true,
    placeholder: () =>
      authorizedUntil === undefined
        ? question
        : `${question} ${authorizedTime(authorizedUntil - clock.now())}`,
    rows: [
      {
        icon: 'device-mobile',
        label: t('Authenticator app'),
        detail: t('Works without a network. Scan a QR code with the app'),
        value: 'totp',
      },
      {
        icon: 'comment',
        label: t('Text message'),
        detail: t('Sends a code to your phone each time'),
        value: 'sms',
      },
    ],
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}

async function askLabel(): Promise<string | undefined> {
  return askLine({
    title: t('{0}: {1}', titleOf('gpuRental.tfa.addMethod'), t('Name')),
    prompt: t('A name to recognize it by. Optional.'),
    ignoreFocusOut: true,
    problem: labelProblem,
  });
}

async function addTotp(
  { clock, redactor, extensionUri }: Deps,
  { account, status, authorizedUntil, label }: Addition,
): Promise<CodeAnswer<ConfirmedSecondFactorMethod>> {
  const setup = await account.client.secondFactor.setUpTotp();
  redactor.addSecret(setup.secret);
  redactor.addSecret(setup.uri);
  const panel = await showTotpPanel(setup, extensionUri);
  const confirm = confirmer(account.client, status);
  try {
    return await askCode<ConfirmedSecondFactorMethod>(
      {
        title: t('Add an Authenticator App'),
        prompt: t('Scan this QR code with your authenticator app, then enter the code that the app shows.'),
        placeholder: '123456',
        problem: codeProblem,
        authorizedUntil,
        extra: {
          iconPath: new vscode.ThemeIcon('copy'),
          tooltip: t('Copy the Secret'),
          run: () =>
            void vscode.env.clipboard
              .writeText(setup.secret)
              .then(() => vscode.window.setStatusBarMessage(t('Copied'), 3000)),
        },
        use: (value, signal) =>
          confirm(
            { type: 'totp', code: normalCode(value), secret: setup.secret, ...named(label) },
            { signal },
          ),
      },
      clock,
    );
  } finally {
    panel.dispose();
  }
}

async function addSms(
  { clock, redactor }: Deps,
  { account, status, authorizedUntil, label }: Addition,
): Promise<CodeAnswer<ConfirmedSecondFactorMethod> | undefined> {
  const { client } = account;
  const phone = await askPhone();
  if (phone === undefined) {
    return undefined;
  }
  redactor.addSecret(phone);
  let { secret } = await withSending((signal) => sendSms(client, { phone }, { signal }));
  const confirm = confirmer(client, status);
  return askCode<ConfirmedSecondFactorMethod>(
    {
      title: t('Add Text Messages'),
      prompt: t('A code was sent to the number that ends in {0}.', phone.slice(-4)),
      placeholder: '123456',
      problem: codeProblem,
      endsAt: clock.now() + challengeMs,
      authorizedUntil,
      resend: async (signal) => {
        ({ secret } = await sendSmsAgain(client, { phone }, { signal }));
        return clock.now() + challengeMs;
      },
      use: (value, signal) => {
        const method: NewSecondFactorMethod = {
          type: 'sms',
          code: normalCode(value),
          secret,
          phone,
          ...named(label),
        };
        return confirm(method, { signal });
      },
    },
    clock,
  );
}

async function askPhone(): Promise<string | undefined> {
  const typed = await askLine({
    title: t('Add Text Messages'),
    prompt: t('Your phone number with + and the country code.'),
    placeholder: '+14155550100',
    ignoreFocusOut: true,
    problem: (value) => (value === '' ? undefined : phoneProblem(value)),
  });
  return typed === undefined || phoneProblem(typed) ? undefined : normalPhone(typed);
}

function named(label: string): { readonly label?: string } {
  return label.trim() === '' ? {} : { label: label.trim() };
}
