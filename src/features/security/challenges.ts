import type { Client } from '../../api/client';
import { RefusedError } from '../../api/errors';
import type { CallOptions } from '../../api/http';

/** What the service sends back with each code that it sends; goes with the code. */
export interface Challenge {
  readonly secret: string;
}

export interface SmsGoal {
  readonly methodId?: number | undefined;
  readonly phone?: string;
}

/** A code that was sent a short while ago is sent again instead of being an error. */
export async function sendSms(client: Client, goal: SmsGoal, options: CallOptions = {}): Promise<Challenge> {
  try {
    return await client.tfa.sendSms(goal, options);
  } catch (error) {
    if (error instanceof RefusedError && error.code === 'tfa_challenge_exists') {
      return client.tfa.resendSms(goal, options);
    }
    throw error;
  }
}

/** Where the ten minutes of the first code are over there is nothing to send again, so a new one is sent. */
export async function sendSmsAgain(
  client: Client,
  goal: SmsGoal,
  options: CallOptions = {},
): Promise<Challenge> {
  try {
    return await client.tfa.resendSms(goal, options);
  } catch (error) {
    if (isOver(error)) {
      return client.tfa.sendSms(goal, options);
    }
    throw error;
  }
}

/** The code that was sent does not count any more; it can only be sent anew. */
function isOver(error: unknown): boolean {
  return (
    error instanceof RefusedError &&
    ['2fa_expired', 'challenge_not_found', 'no_challenge_found', 'phone_number_mismatch'].includes(
      error.code ?? '',
    )
  );
}
