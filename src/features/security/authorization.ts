import { RefusedError } from '../../api/errors';
import { t } from '../../editor/localize';
import {
  authorizationMs,
  backupCodeProblem,
  challengeMs,
  codeProblem,
  countMethods,
  normalBackupCode,
  normalCode,
  type FactorChoice,
  type SecondFactorKind,
  type SecondFactorStatus,
} from '../../model/accounts/secondFactor';
import type { Services } from '../../services';
import type { Account } from '../../store/accounts/accounts';
import { warnIfFewLeft } from './backupCodes';
import { sendSmsAgain } from './challenges';
import { askCode, type CodeAnswer } from './codeBox';
import { authorizer } from './lostAnswers';
import { byChosenWay } from './proof';
import { withSending } from './waiting';

interface AuthorizationRequest {
  readonly account: Account;
  readonly status: SecondFactorStatus;
  readonly clock: Services['clock'];
}

/**
 * Runs the two steps that precede a new method (docs/service/two-factor.md#authorize-a-new-method). Returns the time
 * until which methods can be added (ms since 1970), or `undefined` if the user cancels.
 */
export async function authorize(request: AuthorizationRequest): Promise<number | undefined> {
  const { account, status, clock } = request;
  const { client, user: person } = account;
  if (countMethods(status) === 0) {
    // An account without methods always gets its code by e-mail (docs/service/two-factor.md#authorize-a-new-method).
    const title = t('Authorize a New 2FA Method');
    const answer = await byCode(request, { title, to: person.email, canGoBack: false });
    return answer.kind === 'done' ? answer.value : undefined;
  }
  const title = t('Authorize a New 2FA Method');
  return byChosenWay({ title, client, person, clock, forAuthorization: true }, (choice) =>
    choice.kind === 'backup'
      ? byBackupCode(request, title)
      : byCode(request, { title, canGoBack: true, ...way(choice, person.email) }),
  );
}

interface Way {
  readonly to?: string | undefined;
  readonly factor?: SecondFactorKind;
  readonly methodId?: number;
}

function way(choice: Exclude<FactorChoice, { kind: 'backup' }>, address: string | undefined): Way {
  if (choice.kind === 'method') {
    const { type, id, phone } = choice.method;
    return { factor: type, methodId: id, to: phone };
  }
  return choice.kind === 'email' ? { factor: 'email', to: address } : { factor: 'sms' };
}

async function byCode(
  { account, clock }: AuthorizationRequest,
  { title, canGoBack, to, ...wanted }: Way & { readonly title: string; readonly canGoBack: boolean },
): Promise<CodeAnswer<number>> {
  const start = (signal: AbortSignal) => startByCode(account, wanted, signal);
  const isSent = wanted.factor !== 'totp';
  let secret = isSent ? await withSending(start) : await start(new AbortController().signal);
  const { secondFactor } = account.client;
  const finish = authorizer(account.client, (code, options) =>
    secondFactor.finishAuthorization({ code, secret }, options),
  );
  return askCode<number>(
    {
      title,
      canGoBack,
      prompt: !isSent
        ? t('Enter the code from your authenticator app.')
        : to === undefined
          ? t('A code was sent.')
          : t('A code was sent to {0}.', to),
      placeholder: '123456',
      problem: codeProblem,
      endsAt: isSent ? clock.now() + challengeMs : undefined,
      resend: isSent
        ? async (signal: AbortSignal) => {
            secret = await start(signal);
            return clock.now() + challengeMs;
          }
        : undefined,
      use: async (value, signal) => {
        await finish(normalCode(value), { signal });
        return clock.now() + authorizationMs;
      },
    },
    clock,
  );
}

/** Runs the first step and returns what the second one needs in addition to the code. */
async function startByCode(
  { client }: Account,
  { factor, methodId }: Pick<Way, 'factor' | 'methodId'>,
  signal: AbortSignal,
): Promise<string> {
  try {
    const { secret = '' } = await client.secondFactor.startAuthorization(
      { kind: 'code', factor, methodId },
      { signal },
    );
    return secret;
  } catch (error) {
    if (error instanceof RefusedError && error.code === 'tfa_challenge_exists') {
      return (await sendSmsAgain(client, { methodId }, { signal })).secret;
    }
    throw error;
  }
}

function byBackupCode({ account, clock }: AuthorizationRequest, title: string): Promise<CodeAnswer<number>> {
  const prove = authorizer(account.client, (backupCode, options) =>
    account.client.secondFactor.startAuthorization({ kind: 'backup', backupCode }, options),
  );
  return askCode<number>(
    {
      title,
      canGoBack: true,
      prompt: t('Enter one of your backup codes. Each code works only once.'),
      placeholder: 'XXXX-XXXX-XXXX',
      problem: backupCodeProblem,
      use: async (value, signal) => {
        await prove(normalBackupCode(value), { signal });
        // The number of codes left is only a hint, so ignore errors.
        void warnIfFewLeft(account.client).catch(() => undefined);
        return clock.now() + authorizationMs;
      },
    },
    clock,
  );
}
