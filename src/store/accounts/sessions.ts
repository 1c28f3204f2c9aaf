import * as z from 'zod';
import { defined } from '../../util/defined';
import { UserError } from '../../util/errors';
import { parseJson } from '../../util/json';
import type { SecretPort } from './patientSecrets';

/** The secrets of one account, always replaced together. */
export interface Session {
  readonly apiKey: string;
  /** The key of a session with a second factor (docs/service/authentication.md#sessions). */
  readonly sessionKey?: string;
  /** Milliseconds since 1970; the session key is not used from this moment on. */
  readonly sessionExpiresAt?: number;
}

const stored = z.object({
  version: z.literal(1),
  /**
   * The account of the entry, so that a key ring that mixes up its entries can't send a key to another
   * service.
   */
  account: z.string().optional(),
  apiKey: z.string().min(1),
  sessionKey: z.string().min(1).optional(),
  sessionExpiresAt: z.number().optional(),
});

export type SessionContent =
  | { readonly kind: 'present'; readonly session: Session }
  | { readonly kind: 'absent' }
  /** The key ring refused or did not answer; the user is not signed out. */
  | { readonly kind: 'unreadable'; readonly error: unknown }
  /** The key ring returned something other than this account's session. */
  | { readonly kind: 'damaged' };

const prefix = 'gpuRental.session.';

/**
 * API keys in the editor's secret storage, one entry per account, so that two windows can't undo each other's
 * changes.
 */
export class Sessions {
  constructor(private readonly secrets: SecretPort) {}

  async read(accountKey: string): Promise<SessionContent> {
    let value: unknown;
    try {
      value = await this.secrets.get(prefix + accountKey);
    } catch (error) {
      return { kind: 'unreadable', error: error instanceof UserError ? error : withoutText(error) };
    }
    return value === undefined || value === null ? { kind: 'absent' } : parse(value, accountKey);
  }

  /**
   * Stores a session and reads it back. The result is not `present` with this session if the editor did not
   * keep it, as on a computer without a key ring or in a browser that blocks storage.
   */
  async write(accountKey: string, session: Session): Promise<SessionContent> {
    const value = JSON.stringify({
      version: 1,
      account: accountKey,
      ...session,
    } satisfies z.infer<typeof stored>);
    try {
      await this.secrets.store(prefix + accountKey, value);
    } catch (error) {
      return { kind: 'unreadable', error: withoutText(error) };
    }
    return this.read(accountKey);
  }

  /** Removes a session and reads back. Returns false if it may still be stored. */
  async remove(accountKey: string): Promise<boolean> {
    const key = prefix + accountKey;
    try {
      await this.secrets.delete(key);
      return (await this.secrets.get(key)) === undefined;
    } catch {
      return false;
    }
  }

  /** Reports which account's session changed, in this or another window. */
  onDidChange(listener: (accountKey: string) => void) {
    return this.secrets.onDidChange((key) => {
      if (key.startsWith(prefix)) {
        listener(key.slice(prefix.length));
      }
    });
  }
}

/** Returns the bearer to use now (docs/service/authentication.md#sessions). */
export function bearerOf(session: Session, now: number): string {
  const isValid =
    session.sessionKey !== undefined &&
    (session.sessionExpiresAt === undefined || session.sessionExpiresAt > now);
  return isValid ? (session.sessionKey ?? session.apiKey) : session.apiKey;
}

export function isSameSession(one: Session, other: Session | undefined): boolean {
  return (
    one.apiKey === other?.apiKey &&
    one.sessionKey === other.sessionKey &&
    one.sessionExpiresAt === other.sessionExpiresAt
  );
}

function parse(value: unknown, accountKey: string): SessionContent {
  try {
    const { data } = stored.safeParse(typeof value === 'string' ? parseJson(value) : undefined);
    if (data && (data.account ?? accountKey) === accountKey) {
      const { apiKey, sessionKey, sessionExpiresAt } = data;
      return {
        kind: 'present',
        session: defined<Session>({ apiKey, sessionKey, sessionExpiresAt }),
      };
    }
  } catch {
    // The kind below reports it; the parser's message would quote the value.
  }
  return { kind: 'damaged' };
}

/** Removes the message of an error: a key ring may quote its value, which the log can't redact yet. */
function withoutText(error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const name = error instanceof Error ? error.name : '';
  const known = [name, code].filter((word) => /^[A-Za-z_]{1,40}$/.test(word));
  return new Error(['The secret store refused', ...known].join(': '));
}
