import * as vscode from 'vscode';
import {
  authorizationMs,
  backupCodeProblem,
  challengeMs,
  codeProblem,
  normalBackupCode,
  normalCode,
  type FactorChoice,
} from '../../model/secondFactor';
import type { TfaFactor, TfaStatus } from '../../model/tfa';
import type { Services } from '../../services';
import type { Account } from '../../store/ports';
import { askCode } from './codeBox';
import { chooseFactor, isFinal } from './proof';

interface AuthorizationRequest {
  readonly account: Account;
  readonly status: TfaStatus;
  readonly clock: Services['clock'];
}

/**
 * The two steps before a method can be added (interface: authorize-new-method). Gives the time until
 * which methods can be added, `undefined` when the person stopped.
 */
export async function authorize(request: AuthorizationRequest): Promise<number | undefined> {
  const { account, status, clock } = request;
  const title = vscode.l10n.t('Authorize a New Second Factor');
  if (status.methods.length === 0) {
    return byCode(request, { title, to: account.user.email });
  }
  const choice = await chooseFactor(status, { title, person: account.user, clock, forAuthorization: true });
  if (!choice) {
    return undefined;
  }
  return choice.kind === 'backup' ? byBackupCode(request, title) : byCode(request, { title, ...way(choice) });
}

interface Way {
  readonly to?: string | undefined;
  readonly factor?: TfaFactor;
  readonly methodId?: number;
}

function way(choice: Exclude<FactorChoice, { kind: 'backup' }>): Way {
  if (choice.kind === 'method') {
    const { type, id, phone } = choice.method;
    return { factor: type, methodId: id, to: phone };
  }
  return { factor: choice.kind === 'email' ? 'email' : 'sms' };
}

async function byCode(
  { account, clock }: AuthorizationRequest,
  { title, to, factor, methodId }: Way & { readonly title: string },
): Promise<number | undefined> {
  const { tfa } = account.client;
  const start = async (signal?: AbortSignal) => {
    const wanted = {
      kind: 'code' as const,
      ...(factor === undefined ? {} : { factor }),
      ...(methodId === undefined ? {} : { methodId }),
    };
    const { secret = '' } = await tfa.startAuthorization(wanted, signal ? { signal } : {});
    return secret;
  };
  let secret = await start();
  const isSent = factor !== 'totp';
  const answer = await askCode<number>(
    {
      title,
      prompt: !isSent
        ? vscode.l10n.t('Enter the code that your authenticator app shows.')
        : to === undefined
          ? vscode.l10n.t('A code is on its way.')
          : vscode.l10n.t('A code is on its way to {0}.', to),
      placeholder: '123456',
      problem: codeProblem,
      isFinal,
      endsAt: clock.now() + challengeMs,
      ...(isSent
        ? {
            resend: async (signal: AbortSignal) => {
              secret = await start(signal);
              return clock.now() + challengeMs;
            },
          }
        : {}),
      use: async (value, signal) => {
        await tfa.finishAuthorization({ code: normalCode(value), secret }, { signal });
        return clock.now() + authorizationMs;
      },
    },
    clock,
  );
  return answer.kind === 'done' ? answer.value : undefined;
}

async function byBackupCode(
  { account, clock }: AuthorizationRequest,
  title: string,
): Promise<number | undefined> {
  const answer = await askCode<number>(
    {
      title,
      prompt: vscode.l10n.t('Enter one of your backup codes. It cannot be used again.'),
      placeholder: 'XXXX-XXXX-XXXX',
      problem: backupCodeProblem,
      use: async (value, signal) => {
        await account.client.tfa.startAuthorization(
          { kind: 'backup', backupCode: normalBackupCode(value) },
          { signal },
        );
        return clock.now() + authorizationMs;
      },
    },
    clock,
  );
  return answer.kind === 'done' ? answer.value : undefined;
}
