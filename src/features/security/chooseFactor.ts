import type { Client } from '../../api/client';
import { localize, t } from '../../editor/localize';
import { pickFromList, type Row } from '../../editor/quickPick';
import { momentText } from '../../editor/timeText';
import type { User } from '../../model/accounts/account';
import { factorChoices, type FactorChoice, type SecondFactorStatus } from '../../model/accounts/secondFactor';
import { AcceptGuard, unaskedTimes } from '../../model/rentals/acceptGuard';
import type { Clock } from '../../util/clock';
import { lockedText } from './failures';
import { methodName } from './methodText';
import { reportUnavailable } from './unverified';

export interface ChoiceRequest {
  readonly title: string;
  readonly client: Client;
  readonly person: User;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Replaces the default question above the methods. */
  readonly question?: string;
  /** True if the proof authorizes new methods, which always requires a verified e-mail address. */
  readonly forAuthorization?: boolean;
}

/**
 * Asks for one of the account's methods, the primary one first. Locked methods show when they unlock. The list may
 * open while the user clicks or types elsewhere, so choices in its first moment are ignored; they would send a code
 * by accident.
 */
export async function chooseFactor(
  status: SecondFactorStatus,
  request: ChoiceRequest,
  reasonBefore: string | undefined,
): Promise<FactorChoice | undefined> {
  const { title, signal, clock } = request;
  const now = clock.now();
  const rows = factorChoices(status, request.person, {
    nowMs: now,
    forAuthorization: request.forAuthorization,
  }).map((choice) => ({ ...factorRow(choice, now), isGuarded: true }));
  const guard = new AcceptGuard(clock, unaskedTimes);
  let reason = reasonBefore;
  try {
    for (;;) {
      const answer = await pickFromList<FactorChoice>({
        title,
        rows,
        signal,
        placeholder: reason ?? request.question ?? t('How do you want to verify that it is you?'),
        ignoreFocusOut: true,
        guard,
      });
      reason = answer.kind === 'picked' ? whyNot(answer.value, clock.now()) : undefined;
      if (reason === undefined) {
        return answer.kind === 'picked' ? answer.value : undefined;
      }
      reportUnavailable(reason, answer.kind === 'picked' && 'unavailable' in answer.value);
    }
  } finally {
    guard.dispose();
  }
}

function sentRow(
  choice: Extract<FactorChoice, { readonly kind: 'legacySms' | 'email' }>,
  icon: string,
  label: string,
  detail: string,
): Row<FactorChoice> {
  const description = choice.unavailable ? localize(choice.unavailable) : '';
  return { value: choice, icon, label, description, detail };
}

function factorRow(choice: FactorChoice, now: number): Row<FactorChoice> {
  switch (choice.kind) {
    case 'method': {
      const { method, lockedUntilMs, unavailable } = choice;
      const state =
        lockedUntilMs !== undefined
          ? t('locked until {0}', momentText(lockedUntilMs, now))
          : unavailable
            ? localize(unavailable)
            : method.isPrimary
              ? t('primary')
              : '';
      return {
        value: choice,
        icon: method.type === 'totp' ? 'device-mobile' : 'comment',
        label: methodName(method),
        description: state,
        detail: method.type === 'totp' ? t('Authenticator app') : t('Text message'),
      };
    }
    case 'legacySms':
      return sentRow(choice, 'comment', t('Text message'), t('To the phone number of your account'));
    case 'email':
      return sentRow(choice, 'mail', t('E-mail'), t('Code to the e-mail address of your account'));
    case 'backup':
      return {
        value: choice,
        icon: 'key',
        label: t('Backup Code'),
        description: choice.remaining === undefined ? '' : t('{0} left', choice.remaining),
        detail: t('One of the codes that you stored. Each works once'),
      };
  }
}

function whyNot(choice: FactorChoice, now: number): string | undefined {
  if (choice.kind === 'method' && choice.lockedUntilMs !== undefined) {
    return lockedText(choice.lockedUntilMs, now);
  }
  return 'unavailable' in choice
    ? t(
        'The e-mail address of your account is not verified, so no codes can be sent. Verify it in the web console, or choose a method that sends no code.',
      )
    : undefined;
}
