import * as vscode from 'vscode';
import { localize } from '../../editor/localize';
import {
  challengeMs,
  clockText,
  codeProblem,
  labelProblem,
  normalCode,
  normalPhone,
  phoneProblem,
} from '../../model/secondFactor';
import type { ConfirmedTfaMethod } from '../../model/tfa';
import type { Services } from '../../services';
import type { Account } from '../../store/ports';
import { authorize } from './authorization';
import { showBackupCodes } from './backupCodes';
import { askCode, type CodeAnswer } from './codeBox';
import { tellUnverified } from './unverified';
import { sendOrResend, withSending } from './proof';
import { showTotpPanel } from './totpPanel';

type Deps = Pick<Services, 'accounts' | 'clock' | 'redactor' | 'log'>;

/** Until when methods may be added, by account; the service tells only whether they may now. */
export type Windows = Map<string, number>;

/** Journey 9: authorize, choose, prove that the app or the telephone works, store the backup codes. */
export async function addMethod(deps: Deps, account: Account, windows: Windows): Promise<boolean> {
  const user = await deps.accounts.refreshUser();
  if (user.tfaStatus === 'legacy') {
    void vscode.window.showWarningMessage(
      vscode.l10n.t(
        'This account has an older form of 2FA, to which nothing can be added. Remove it first, then set up 2FA again.',
      ),
    );
    return false;
  }
  const status = await account.client.tfa.status();
  if (status.methods.length === 0 && user.emailVerified === false) {
    await tellUnverified(account);
    return false;
  }
  if (!status.newMethodAuthorized) {
    const until = await authorize({ account: { ...account, user }, status, clock: deps.clock });
    if (until === undefined) {
      return false;
    }
    windows.set(account.key, until);
  }
  const type = await pickType(deps, windows.get(account.key));
  const label = type && (await askLabel());
  if (type === undefined || label === undefined) {
    return false;
  }
  const answer = type === 'totp' ? await addTotp(deps, account, label) : await addSms(deps, account, label);
  if (answer?.kind !== 'done') {
    return false;
  }
  if (answer.value.backupCodes) {
    await showBackupCodes(answer.value.backupCodes, deps.redactor);
  }
  void vscode.window.showInformationMessage(vscode.l10n.t('The second factor was added.'));
  return true;
}

async function pickType(deps: Deps, until: number | undefined): Promise<'totp' | 'sms' | undefined> {
  const left = until === undefined ? undefined : until - deps.clock.now();
  const picked = await vscode.window.showQuickPick(
    [
      {
        label: `$(device-mobile) ${vscode.l10n.t('Authenticator App')}`,
        detail: vscode.l10n.t('Works without a network; scan a picture with the app'),
        type: 'totp' as const,
      },
      {
        label: `$(comment) ${vscode.l10n.t('Text Messages')}`,
        detail: vscode.l10n.t('A code to your phone, each time'),
        type: 'sms' as const,
      },
    ],
    {
      title: vscode.l10n.t('Add a Second Factor'),
      placeHolder:
        left === undefined
          ? vscode.l10n.t('What shall be added?')
          : vscode.l10n.t('What shall be added? You can add methods for {0} minutes.', clockText(left)),
      ignoreFocusOut: true,
    },
  );
  return picked?.type;
}

async function askLabel(): Promise<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t('Add a Second Factor'),
    prompt: vscode.l10n.t('A name that tells it from others, for example Work Phone. May stay empty.'),
    ignoreFocusOut: true,
    validateInput: (value) => {
      const problem = labelProblem(value);
      return problem && localize(problem);
    },
  });
}

async function addTotp(
  { clock, redactor }: Deps,
  account: Account,
  label: string,
): Promise<CodeAnswer<ConfirmedTfaMethod>> {
  const setup = await account.client.tfa.setUpTotp();
  redactor.addSecret(setup.secret);
  redactor.addSecret(setup.uri);
  const panel = await showTotpPanel(setup);
  try {
    return await askCode<ConfirmedTfaMethod>(
      {
        title: vscode.l10n.t('Add an Authenticator App'),
        prompt: vscode.l10n.t('Scan the picture with your app, then enter the code that it shows.'),
        placeholder: '123456',
        problem: codeProblem,
        use: (value, signal) =>
          account.client.tfa.confirmNew(
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
  { clock }: Deps,
  account: Account,
  label: string,
): Promise<CodeAnswer<ConfirmedTfaMethod> | undefined> {
  const { tfa } = account.client;
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t('Add Text Messages'),
    prompt: vscode.l10n.t('Your phone number with + and the country code.'),
    placeHolder: '+14155550100',
    ignoreFocusOut: true,
    validateInput: (value) => {
      const problem = value === '' ? undefined : phoneProblem(value);
      return problem && localize(problem);
    },
  });
  if (typed === undefined || phoneProblem(typed)) {
    return undefined;
  }
  const phone = normalPhone(typed);
  let secret = await withSending(() => sendOrResend(account.client, { phone }));
  return askCode<ConfirmedTfaMethod>(
    {
      title: vscode.l10n.t('Add Text Messages'),
      prompt: vscode.l10n.t('A code is on its way to the number that ends in {0}.', phone.slice(-4)),
      placeholder: '123456',
      problem: codeProblem,
      endsAt: clock.now() + challengeMs,
      resend: async (signal) => {
        ({ secret } = await tfa.resendSms({ phone }, { signal }));
        return clock.now() + challengeMs;
      },
      use: (value, signal) =>
        tfa.confirmNew({ type: 'sms', code: normalCode(value), secret, phone, ...named(label) }, { signal }),
    },
    clock,
  );
}

function named(label: string): { readonly label?: string } {
  return label.trim() === '' ? {} : { label: label.trim() };
}
