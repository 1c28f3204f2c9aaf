import { t } from '../../editor/localize';
import {
  backupCodeProblem,
  challengeMs,
  codeProblem,
  normalBackupCode,
  normalCode,
  type FactorChoice,
  type SecondFactorProof,
} from '../../model/accounts/secondFactor';
import { isCancelled, UserError } from '../../util/errors';
import { sendSms, sendSmsAgain } from './challenges';
import { chooseFactor, type ChoiceRequest } from './chooseFactor';
import { askCode, type CodeAnswer } from './codeBox';
import { factorFailureText, isAboutRequest } from './failures';
import { reportUnavailable } from './unverified';
import { whileReading, withSending } from './waiting';

export interface ProofRequest<T> extends ChoiceRequest {
  /** Uses the proof; called for each code until one is accepted. */
  readonly use: (proof: SecondFactorProof, signal: AbortSignal) => Promise<T>;
}

/** Asks the user how to verify, sends a code if needed, and uses the proof. */
export function proveFactor<T>(request: ProofRequest<T>): Promise<T | undefined> {
  return byChosenWay(request, (choice) => proveBy(choice, request));
}

/**
 * Offers the account's methods until one of them succeeds or the user cancels. If a method turns out to be
 * unavailable, a message says so and the others are offered again.
 */
export async function byChosenWay<T>(
  request: ChoiceRequest,
  run: (choice: FactorChoice) => Promise<CodeAnswer<T>>,
): Promise<T | undefined> {
  const options = { signal: request.signal };
  let reason: string | undefined;
  for (;;) {
    const status = await whileReading(() => request.client.secondFactor.status(options));
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
        reportUnavailable(reason, error instanceof UserError && error.nextStep === 'openConsole');
      }
    }
  }
}

/** Returns why the user should try another method. Throws an error that no other method can solve. */
function closedWay(error: unknown, now: number): string {
  if (!(error instanceof UserError) || isAboutRequest(error)) {
    throw error;
  }
  return factorFailureText(error, now);
}

/** Verifies by one method, from sending the code to using it. */
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
      prompt: t('Enter one of your backup codes. Each code works only once.'),
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
      prompt: t('Enter the code from your authenticator app.'),
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
      ? client.secondFactor.sendEmail(undefined, { signal: inner })
      : sendSms(client, target, { signal: inner });
  let { secret } = await withSending(send, signal);
  return askCode<T>(
    {
      title,
      signal,
      prompt: to === undefined ? t('A code was sent.') : t('A code was sent to {0}.', to),
      placeholder: '123456',
      problem: codeProblem,
      canGoBack: true,
      endsAt: clock.now() + challengeMs,
      resend: async (inner) => {
        // Each e-mail request with a key creates a new challenge (docs/service/two-factor.md#e-mail-code).
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
            methodId,
          },
          inner,
        ),
    },
    clock,
  );
}
