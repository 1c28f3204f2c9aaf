import * as vscode from 'vscode';
import type { Client } from '../../api/client';
import { localize } from '../../editor/localize';
import type { User } from '../../model/accounts/account';
import {
  backupCodeProblem,
  challengeMs,
  codeProblem,
  factorChoices,
  normalBackupCode,
  normalCode,
  type FactorChoice,
} from '../../model/accounts/secondFactor';
import type { TfaProof, TfaStatus } from '../../model/accounts/tfa';
import type { Clock } from '../../util/clock';
import { isCancelled, UserError } from '../../util/errors';
import { askCode, type CodeAnswer } from './codeBox';
import { failureText, isAboutRequest, lockedText } from './failures';
import { sendSms, sendSmsAgain } from './challenges';
import { whileReading, withSending } from './waiting';
import { methodName, timeOfDay } from './words';

export interface ChoiceRequest {
  readonly title: string;
  readonly client: Client;
  readonly person: User;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** Asked above the ways; by default how somebody proves who they are. */
  readonly question?: string;
  /** The proof opens the adding of methods, for which nobody is exempt from a verified e-mail address. */
  readonly forAuthorization?: boolean;
}

export interface ProofRequest<T> extends ChoiceRequest {
  /** What the proof is for; called for each code until one is accepted. */
  readonly use: (proof: TfaProof, signal: AbortSignal) => Promise<T>;
}

/** Asks how somebody proves who they are, has a code sent where that is the way, and uses it. */
export function prove<T>(request: ProofRequest<T>): Promise<T | undefined> {
  return byChosenWay(request, (choice) => proveBy(choice, request));
}

/**
 * Offers the ways of the account until one has led to an end. A way that turns out to be closed is told, and
 * the others are offered again.
 */
export async function byChosenWay<T>(
  request: ChoiceRequest,
  run: (choice: FactorChoice) => Promise<CodeAnswer<T>>,
): Promise<T | undefined> {
  const options = request.signal ? { signal: request.signal } : {};
  let reason: string | undefined;
  for (;;) {
    const status = await whileReading(() => request.client.tfa.status(options));
    const choice = await chooseFactor(status, request, reason);
    if (!choice) {
      return undefined;
    }
    try {
      const answer = await run(choice);
      if (answer.kind === 'done') {
        return answer.value;
      }
      if (answer.kind === 'cancelled') {
        return undefined;
      }
    } catch (error) {
      if (request.signal?.aborted) {
        return undefined;
      }
      reason = isCancelled(error) ? undefined : closedWay(error, request.clock.now());
      if (reason !== undefined) {
        void vscode.window.showWarningMessage(reason);
      }
    }
  }
}

/** Why another way is worth a try. Throws what is wrong with the request itself, which no other way mends. */
function closedWay(error: unknown, now: number): string {
  if (!(error instanceof UserError) || isAboutRequest(error)) {
    throw error;
  }
  return failureText(error, now);
}

interface FactorRow extends vscode.QuickPickItem {
  readonly choice: FactorChoice;
}

/** The account's methods, the primary one first; locked ones say when they open again. */
async function chooseFactor(
  status: TfaStatus,
  request: ChoiceRequest,
  reasonBefore: string | undefined,
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
  let reason = reasonBefore;
  try {
    for (;;) {
      const picked = await vscode.window.showQuickPick(
        choices.map((choice) => factorRow(choice)),
        {
          title: request.title,
          placeHolder:
            reason ?? request.question ?? vscode.l10n.t('How do you want to prove that it is you?'),
          ignoreFocusOut: true,
        },
        cancel.token,
      );
      reason = picked && whyNot(picked.choice);
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
    return lockedText(choice.lockedUntilMs);
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
  const send = (inner: AbortSignal) =>
    factor === 'email'
      ? client.tfa.sendEmail(undefined, { signal: inner })
      : sendSms(client, target, { signal: inner });
  let { secret } = await withSending(send, signal);
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
      endsAt: clock.now() + challengeMs,
      resend: async (inner) => {
        // By e-mail each call makes a fresh code with a key (interface: POST tfa/email).
        ({ secret } = await (factor === 'email'
          ? send(inner)
          : sendSmsAgain(client, target, { signal: inner })));
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
