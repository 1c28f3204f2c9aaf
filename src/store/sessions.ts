import * as z from 'zod';
import type { SecretPort } from './ports';

/** What is kept secret for one account; changes as one. */
export interface Session {
  readonly apiKey: string;
  /** From a second factor (interface: Authentication 9). */
  readonly sessionKey?: string;
  /** Milliseconds since 1970; the session key is not used from then on. */
  readonly sessionExpiresAt?: number;
}

const stored = z.object({
  version: z.literal(1),
  apiKey: z.string().min(1),
  sessionKey: z.string().min(1).optional(),
  sessionExpiresAt: z.number().optional(),
});

export type SessionContent =
  | { readonly kind: 'present'; readonly session: Session }
  | { readonly kind: 'absent' }
  /** The key ring refused, or holds something that is not ours. Not the same as signed out. */
  | { readonly kind: 'unreadable'; readonly error: unknown };

const prefix = 'gpuRental.session.';

/** Keys in the editor's secret storage, one entry an account, so that two windows cannot undo each other. */
export class Sessions {
  constructor(private readonly secrets: SecretPort) {}

  async read(accountKey: string): Promise<SessionContent> {
    let value: string | undefined;
    try {
      value = await this.secrets.get(prefix + accountKey);
    } catch (error) {
      return { kind: 'unreadable', error };
    }
    return value === undefined ? { kind: 'absent' } : parse(value);
  }

  /**
   * Stores and reads back. False where the editor does not hold what it was given, as on a computer
   * without a key ring or in a browser that blocks storage.
   */
  async write(accountKey: string, session: Session): Promise<boolean> {
    const value = JSON.stringify({ version: 1, ...session } satisfies z.infer<typeof stored>);
    try {
      await this.secrets.store(prefix + accountKey, value);
      return (await this.secrets.get(prefix + accountKey)) === value;
    } catch {
      // The cause is the key ring's; its text could hold the value and is not kept.
      return false;
    }
  }

  async remove(accountKey: string): Promise<void> {
    await this.secrets.delete(prefix + accountKey);
  }

  /** Tells which account's session changed, in this or another window. */
  onDidChange(listener: (accountKey: string) => void) {
    return this.secrets.onDidChange((key) => {
      if (key.startsWith(prefix)) {
        listener(key.slice(prefix.length));
      }
    });
  }
}

/** The bearer to use now (interface: Authentication 9). */
export function bearerOf(session: Session, now: number): string {
  const isValid =
    session.sessionKey !== undefined &&
    (session.sessionExpiresAt === undefined || session.sessionExpiresAt > now);
  return isValid ? (session.sessionKey ?? session.apiKey) : session.apiKey;
}

function parse(value: string): SessionContent {
  try {
    const parsed = stored.safeParse(JSON.parse(value));
    if (parsed.success) {
      const { apiKey, sessionKey, sessionExpiresAt } = parsed.data;
      return {
        kind: 'present',
        session: {
          apiKey,
          ...(sessionKey === undefined ? {} : { sessionKey }),
          ...(sessionExpiresAt === undefined ? {} : { sessionExpiresAt }),
        },
      };
    }
  } catch {
    // Told below; the parser's message quotes the value.
  }
  return { kind: 'unreadable', error: new Error('The saved session has an unknown form') };
}
