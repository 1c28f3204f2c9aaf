import * as vscode from 'vscode';
import type { Client } from '../../api/client';
import { RefusedError } from '../../api/errors';
import { localize } from '../../editor/localize';
import type { User } from '../../model/account';
import {
  backupCodeProblem,
  challengeMs,
  codeProblem,
  factorChoices,
  normalBackupCode,
  normalCode,
  type FactorChoice,
} from '../../model/secondFactor';
import type { TfaProof, TfaStatus } from '../../model/tfa';
import type { Clock } from '../../util/clock';
import { askCode } from './codeBox';
import { methodName, timeOfDay } from './words';

export interface ProofRequest<T> {
  readonly title: string;
  readonly client: Client;
  readonly person: User;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** What the proof is for; called for each code until one is accepted. */
  readonly use: (proof: TfaProof, signal: AbortSignal) => Promise<T>;
}

/** Asks how somebody proves who they are, has a code sent where that is the way, and uses it. */
export async function prove<T>(request: ProofRequest<T>): Promise<T | undefined> {
  const status = await request.client.tfa.status(request.signal ? { signal: request.signal } : {});
  for (;;) {
    const choice = await chooseFactor(status, request);
    if (!choice) {
      return undefined;
    }
    const answer = await proveBy(choice, request);
    if (answer.kind === 'done') {
      return answer.value;
    }
    if (answer.kind === 'cancelled') {
      return undefined;
    }
  }
}

interface FactorRow extends vscode.QuickPickItem {
  readonly choice: FactorChoice;
}

/** The account's methods, the primary one first; locked ones say when they open again. */
export async function chooseFactor(
  status: TfaStatus,
  request: Pick<ProofRequest<unknown>, 'title' | 'person' | 'clock' | 'signal'> & {
    readonly forAuthorization?: boolean;
  },
): Promise<FactorChoice | undefined> {
  const choices = factorChoices(status, request.person, {
    nowMs: request.clock.now(),
    ...(request.forAuthorization === undefined ? {} : { forAuthorization: request.forAuthorization }),
  });
  const cancel = new vscode.CancellationTokenSource();
  const stop = () => {
    cancel.cancel();
  };
  request.signal?.addEventListener('abort', stop, { once: true });
  try {
    for (;;) {
      const picked = await vscode.window.showQuickPick(
        choices.map((choice) => factorRow(choice)),
        {
          title: request.title,
          placeHolder: vscode.l10n.t('How do you want to prove that it is you?'),
          ignoreFocusOut: true,
        },
        cancel.token,
      );
      const reason = picked && whyNot(picked.choice);
      if (reason === undefined) {
        return picked?.choice;
      }
      void vscode.window.showWarningMessage(reason);
    }
  } finally {
    request.signal?.removeEventListener('abort', stop);
    cancel.dispose();
  }
}

function factorRow(choice: FactorChoice): FactorRow {
  switch (choice.kind) {
    case 'method': {
      const { method, lockedUntilMs, unavailable } = choice;
      const state =
        lockedUntilMs !== undefined
          ? vscode.l10n.t('locked until {0}', timeOfDay(lockedUntilMs))
          : unavailable
            ? localize(unavailable)
            : method.isPrimary
              ? vscode.l10n.t('primary')
              : '';
      return {
        choice,
        label: `$(${method.type === 'totp' ? 'device-mobile' : 'comment'}) ${methodName(method)}`,
        description: state,
        detail:
          method.type === 'totp'
            ? vscode.l10n.t('Code of an authenticator app')
            : vscode.l10n.t('Code by text message'),
      };
    }
    case 'legacySms':
      return {
        choice,
        label: `$(comment) ${vscode.l10n.t('Text message')}`,
        description: choice.unavailable ? localize(choice.unavailable) : '',
        detail: vscode.l10n.t('To the phone number of the account'),
      };
    case 'email':
      return {
        choice,
        label: `$(mail) ${vscode.l10n.t('E-mail')}`,
        description: choice.unavailable ? localize(choice.unavailable) : '',
        detail: vscode.l10n.t('Code to the e-mail address of the account'),
      };
    case 'backup':
      return {
        choice,
        label: `$(key) ${vscode.l10n.t('Backup Code')}`,
        description: choice.remaining === undefined ? '' : vscode.l10n.t('{0} left', choice.remaining),
        detail: vscode.l10n.t('One of the codes that you stored; each works once'),
      };
  }
}

function whyNot(choice: FactorChoice): string | undefined {
  if (choice.kind === 'method' && choice.lockedUntilMs !== undefined) {
    return vscode.l10n.t(
      'There were too many wrong codes. This method opens again at {0}; choose another one until then.',
      timeOfDay(choice.lockedUntilMs),
    );
  }
  return 'unavailable' in choice
    ? vscode.l10n.t(
        'The e-mail address of the account is not verified, so no codes are sent. Verify it in the web console, or choose a way that sends no code.',
      )
    : undefined;
}

/** One factor, from sending its code to using it. */
function proveBy<T>(choice: FactorChoice, request: ProofRequest<T>) {
  switch (choice.kind) {
    case 'backup':
      return askBackupCode(request);
    case 'method':
      return choice.method.type === 'totp'
        ? askTotp(request, choice.method.id)
        : askSent(request, 'sms', choice.method.phone, choice.method.id);
    case 'legacySms':
      return askSent(request, 'sms', undefined, undefined);
    case 'email':
      return askSent(request, 'email', request.person.email, undefined);
  }
}

function askBackupCode<T>({ title, signal, use, clock }: ProofRequest<T>) {
  return askCode<T>(
    {
      title,
      signal,
      prompt: vscode.l10n.t('Enter one of your backup codes. It cannot be used again.'),
      placeholder: 'XXXX-XXXX-XXXX',
      problem: backupCodeProblem,
      canGoBack: true,
      use: (value, inner) => use({ kind: 'backup', backupCode: normalBackupCode(value) }, inner),
    },
    clock,
  );
}

function askTotp<T>({ title, signal, use, clock }: ProofRequest<T>, methodId: number) {
  return askCode<T>(
    {
      title,
      signal,
      prompt: vscode.l10n.t('Enter the code that your authenticator app shows.'),
      placeholder: '123456',
      problem: codeProblem,
      canGoBack: true,
      isFinal,
      use: (value, inner) => use({ kind: 'code', factor: 'totp', code: normalCode(value), methodId }, inner),
    },
    clock,
  );
}

async function askSent<T>(
  request: ProofRequest<T>,
  factor: 'sms' | 'email',
  to: string | undefined,
  methodId: number | undefined,
) {
  const { client, clock, title, signal } = request;
  const target = methodId === undefined ? {} : { methodId };
  let secret = await withSending(() =>
    factor === 'email' ? client.tfa.sendEmail() : sendOrResend(client, target),
  );
  return askCode<T>(
    {
      title,
      signal,
      prompt:
        to === undefined
          ? vscode.l10n.t('A code is on its way.')
          : vscode.l10n.t('A code is on its way to {0}.', to),
      placeholder: '123456',
      problem: codeProblem,
      canGoBack: true,
      isFinal,
      endsAt: clock.now() + challengeMs,
      resend: async (inner) => {
        const sent =
          factor === 'email'
            ? await client.tfa.sendEmail(secret, { signal: inner })
            : await client.tfa.resendSms(target, { signal: inner });
        secret = sent.secret;
        return clock.now() + challengeMs;
      },
      use: (value, inner) =>
        request.use(
          {
            kind: 'code',
            factor,
            code: normalCode(value),
            secret,
            ...(methodId === undefined ? {} : { methodId }),
          },
          inner,
        ),
    },
    clock,
  );
}

/** A code that was sent a short while ago is sent again instead of being an error. */
export async function sendOrResend(
  client: Client,
  target: { readonly methodId?: number; readonly phone?: string },
): Promise<{ readonly secret: string }> {
  try {
    return await client.tfa.sendSms(target);
  } catch (error) {
    if (error instanceof RefusedError && error.code === 'tfa_challenge_exists') {
      return client.tfa.resendSms(target);
    }
    throw error;
  }
}

export async function withSending(send: () => Promise<{ readonly secret: string }>): Promise<string> {
  const { secret } = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Sending a code…') },
    send,
  );
  return secret;
}

/** After this error no other code is looked at. */
export function isFinal(error: unknown): boolean {
  return error instanceof RefusedError && error.code === 'tfa_locked';
}
