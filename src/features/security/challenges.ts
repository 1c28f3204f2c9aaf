import type { Client } from '../../api/client';
import { RefusedError } from '../../api/errors';
import type { CallOptions } from '../../api/http';

/** The secret that the service returns for each code it sends. It must be submitted with the code. */
export interface Challenge {
  readonly secret: string;
}

export interface SmsGoal {
  readonly methodId?: number | undefined;
  readonly phone?: string;
}

/** Sends a code. If one was sent a short while ago, sends that one again instead of failing. */
export async function sendSms(client: Client, goal: SmsGoal, options: CallOptions = {}): Promise<Challenge> {
  try {
    return await client.secondFactor.sendSms(goal, options);
  } catch (error) {
    if (error instanceof RefusedError && error.code === 'tfa_challenge_exists') {
      return client.secondFactor.resendSms(goal, options);
    }
    throw error;
  }
}

/** Sends the code again. After its ten minutes there is nothing to repeat, so a new code is sent. */
export async function sendSmsAgain(
  client: Client,
  goal: SmsGoal,
  options: CallOptions = {},
): Promise<Challenge> {
  try {
    return await client.secondFactor.resendSms(goal, options);
  } catch (error) {
    if (isOver(error)) {
      return client.secondFactor.sendSms(goal, options);
    }
    throw error;
  }
}

/** Returns true if the sent code has expired and only a new one can be sent. */
function isOver(error: unknown): boolean {
  return (
    error instanceof RefusedError &&
    ['2fa_expired', 'challenge_not_found', 'no_challenge_found', 'phone_number_mismatch'].includes(
      error.code ?? '',
    )
  );
}
