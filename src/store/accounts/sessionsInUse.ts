import { isSameSession, type Session, type SessionContent, type Sessions } from './sessions';

export interface SessionsInUseDeps {
  readonly kept: Pick<Sessions, 'read' | 'write'>;
  /** Receives each key before it is used, so that no log can contain it. */
  readonly onSecret: (value: string) => void;
  /** Fires when the session of an account changes or ends. */
  readonly onChange: (accountKey: string) => void;
}

/**
 * The sessions that this window works with, apart from those in the key ring: a key ring that is slow, locks
 * itself or loses a write neither delays a call nor brings back an older session.
 */
export class SessionsInUse {
  private readonly sessions = new Map<string, Session>();
  /** What the key ring still holds in place of a session that it refused; unknown until its next read. */
  private readonly outdated = new Map<string, Session | 'unknown'>();
  /** Sessions that will be written next; what the key ring holds until then must not return either. */
  private readonly unwritten = new WeakSet<Session>();

  constructor(private readonly deps: SessionsInUseDeps) {}

  get(accountKey: string): Session | undefined {
    return this.sessions.get(accountKey);
  }

  /** Uses a session immediately; call `keep` afterwards. */
  use(accountKey: string, session: Session): void {
    this.unwritten.add(session);
    this.put(accountKey, session);
  }

  forget(accountKey: string): void {
    this.sessions.delete(accountKey);
    this.outdated.delete(accountKey);
    this.deps.onChange(accountKey);
  }

  /** Drops the other accounts, so that a sign-out in another window also ends the session here. */
  keepOnly(accountKeys: ReadonlySet<string>): void {
    for (const key of this.sessions.keys()) {
      if (!accountKeys.has(key)) {
        this.forget(key);
      }
    }
  }

  /**
   * Writes the session; returns false if the key ring does not hold it. What it holds instead is then
   * ignored.
   */
  async keep(accountKey: string, session: Session): Promise<boolean> {
    const held = await this.deps.kept.write(accountKey, session);
    this.unwritten.delete(session);
    const isKept = held.kind === 'present' && isSameSession(held.session, session);
    if (isKept) {
      this.outdated.delete(accountKey);
    } else {
      this.outdated.set(accountKey, held.kind === 'present' ? held.session : 'unknown');
    }
    return isKept;
  }

  /** Uses what the key ring holds, unless the session in use is newer. */
  async read(accountKey: string): Promise<{ readonly isKept: boolean; readonly content: SessionContent }> {
    const content = await this.deps.kept.read(accountKey);
    const inUse = this.sessions.get(accountKey);
    if (inUse && this.unwritten.has(inUse)) {
      return { isKept: true, content };
    }
    const isKept = content.kind === 'present' && !this.isOutdated(accountKey, content.session);
    if (isKept) {
      this.put(accountKey, content.session);
    }
    return { isKept, content };
  }

  private put(accountKey: string, session: Session): void {
    this.deps.onSecret(session.apiKey);
    if (session.sessionKey !== undefined) {
      this.deps.onSecret(session.sessionKey);
    }
    this.sessions.set(accountKey, session);
    this.deps.onChange(accountKey);
  }

  /** Returns true if the session in use is newer, because the key ring refused it. */
  private isOutdated(accountKey: string, held: Session): boolean {
    const outdated = this.outdated.get(accountKey);
    const inUse = this.sessions.get(accountKey);
    if (outdated === undefined || !inUse || isSameSession(held, inUse)) {
      this.outdated.delete(accountKey);
      return false;
    }
    if (outdated === 'unknown' || isSameSession(held, outdated)) {
      this.outdated.set(accountKey, held);
      return true;
    }
    this.outdated.delete(accountKey);
    return false;
  }
}
