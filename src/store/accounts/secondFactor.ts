import * as z from 'zod';
import type { Client } from '../../api/client';
import type { AccountRef, User } from '../../model/accounts/account';
import type { TfaLogin } from '../../model/accounts/tfa';
import { channel } from '../../shared/channel';
import type { WindowFocus } from '../../shared/oneWindow';
import type { Clock } from '../../util/clock';
import { DisposableStore, toDisposable, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import { UserError } from '../../util/errors';
import { silentLog, type Log } from '../../util/log';
import { text } from '../../util/text';
import type { WindowHub } from '../ports';

/** Whose second factor is wanted; `client` speaks with the key alone. */
export interface SecondFactorSubject {
  readonly account: AccountRef;
  readonly user: User;
  readonly client: Client;
  /** An administrator asked for an admin session. */
  readonly admin?: boolean;
}

/** Asks a person; `undefined` when they do not want to. */
export type SecondFactorPrompt = (
  subject: SecondFactorSubject,
  signal: AbortSignal,
) => Promise<TfaLogin | undefined>;

/** The account wants a second factor, and the person has not entered one. */
export class SecondFactorNeededError extends UserError {
  constructor() {
    super(text('This account asks for a second factor. Enter a code to continue.'), {
      nextStep: 'secondFactor',
    });
  }
}

const ofAccount = z.object({ accountKey: z.string() });
const prompting = ofAccount.extend({
  windowId: z.string(),
  isAsking: z.boolean(),
  /** When this window began to ask; milliseconds since 1970. */
  since: z.number().optional(),
});
const prompts = channel('secondFactor.prompting', prompting);
const probes = channel('secondFactor.whoAsks', ofAccount);
const refusals = channel('secondFactor.declined', ofAccount);

/** How often a window that waits for another one's question makes sure that it is still there. */
const probeMs = 1000;
/** A window that says nothing for so long has ended. */
const goneMs = 5000;

/** A question that is open in this window. */
interface OpenQuestion {
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Fires when another window was first. */
  readonly yields: AbortController;
}

/**
 * Lets one window ask at a time, and only the one that somebody looks at. Who says no is not asked
 * again until they start it themselves, or until a session came by another way.
 */
export class SecondFactorGate implements Disposable {
  private prompt: SecondFactorPrompt | undefined;
  private readonly declined = new Set<string>();
  /** When a window that asks was last heard, by account; milliseconds since 1970. */
  private readonly askingElsewhere = new Map<string, number>();
  private readonly asking = new Map<string, OpenQuestion>();
  private readonly changed = new Emitter<undefined>();
  private readonly owned = new DisposableStore();

  constructor(
    private readonly hub: WindowHub,
    private readonly focus: WindowFocus,
    private readonly clock: Clock,
    private readonly log: Log = silentLog,
  ) {
    const tell = () => {
      this.changed.fire(undefined);
    };
    this.owned.add(focus.onDidChange(tell));
    this.owned.add(
      prompts.on(hub, (told) => {
        this.hear(told);
      }),
    );
    this.owned.add(
      probes.on(hub, ({ accountKey }) => {
        if (this.asking.has(accountKey)) {
          this.tell(accountKey, true);
        }
      }),
    );
    this.owned.add(
      refusals.on(hub, ({ accountKey }) => {
        this.declined.add(accountKey);
        tell();
      }),
    );
  }

  /** The feature that talks to people puts itself in here. */
  setPrompt(prompt: SecondFactorPrompt): Disposable {
    this.prompt = prompt;
    this.changed.fire(undefined);
    return toDisposable(() => {
      this.prompt = undefined;
    });
  }

  /** The person starts it: an earlier "no" is forgotten. */
  allow(accountKey: string): void {
    this.declined.delete(accountKey);
  }

  /** Waits until this window may ask, then asks; `undefined` when it was declined here or elsewhere. */
  async ask(subject: SecondFactorSubject, signal: AbortSignal): Promise<TfaLogin | undefined> {
    const { key } = subject.account;
    for (;;) {
      if (signal.aborted || this.declined.has(key)) {
        return undefined;
      }
      if (!this.prompt || !this.focus.isFocused || this.asking.has(key)) {
        this.log.info('The second factor is asked for once this window is in use');
        await this.nextChange(signal);
      } else if (this.isAskedElsewhere(key)) {
        this.log.debug('Another window asks for the second factor');
        probes.send(this.hub, { accountKey: key });
        await this.nextChange(signal, probeMs);
      } else {
        const answer = await this.askHere(this.prompt, subject, signal);
        if (answer !== 'yielded') {
          return answer;
        }
      }
    }
  }

  dispose(): void {
    this.owned.dispose();
    this.changed.dispose();
  }

  private isAskedElsewhere(accountKey: string): boolean {
    const heardAt = this.askingElsewhere.get(accountKey);
    if (heardAt !== undefined && this.clock.now() - heardAt > goneMs) {
      this.askingElsewhere.delete(accountKey);
    }
    return this.askingElsewhere.has(accountKey);
  }

  private hear({ accountKey, windowId, isAsking, since = 0 }: z.infer<typeof prompting>): void {
    const own = this.asking.get(accountKey);
    if (own && isAsking) {
      // Two windows began at once, or this one did not know of the other: the first one asks.
      const isOlder = since === own.since ? windowId < this.hub.windowId : since < own.since;
      if (!isOlder) {
        this.tell(accountKey, true);
        return;
      }
      own.yields.abort();
    }
    const wasAsking = this.askingElsewhere.has(accountKey);
    if (isAsking) {
      this.askingElsewhere.set(accountKey, this.clock.now());
    } else {
      this.askingElsewhere.delete(accountKey);
    }
    if (wasAsking !== isAsking) {
      this.changed.fire(undefined);
    }
  }

  private tell(accountKey: string, isAsking: boolean): void {
    const since = this.asking.get(accountKey)?.since;
    const { windowId } = this.hub;
    prompts.send(this.hub, { accountKey, windowId, isAsking, since });
  }

  private async askHere(
    prompt: SecondFactorPrompt,
    subject: SecondFactorSubject,
    signal: AbortSignal,
  ): Promise<TfaLogin | 'yielded' | undefined> {
    const accountKey = subject.account.key;
    const yields = new AbortController();
    let login: TfaLogin | undefined;
    this.asking.set(accountKey, { since: this.clock.now(), yields });
    this.tell(accountKey, true);
    try {
      // A window that yields at once shows nothing.
      login = yields.signal.aborted
        ? undefined
        : await prompt(subject, AbortSignal.any([signal, yields.signal]));
      if (!login && yields.signal.aborted) {
        return 'yielded';
      }
      if (!login && !signal.aborted) {
        this.declined.add(accountKey);
        refusals.send(this.hub, { accountKey });
      }
      return login;
    } finally {
      this.asking.delete(accountKey);
      // After a code that was taken the others wait a moment for the session, which is still on its way.
      if (!yields.signal.aborted && !login) {
        this.tell(accountKey, false);
      }
      this.changed.fire(undefined);
    }
  }

  private nextChange(signal: AbortSignal, limitMs?: number): Promise<void> {
    return new Promise((resolve) => {
      const store = new DisposableStore();
      const go = () => {
        store.dispose();
        resolve();
      };
      store.add(this.changed.event(go));
      if (limitMs !== undefined) {
        store.add(this.clock.schedule(go, limitMs));
      }
      signal.addEventListener('abort', go, { once: true });
      store.add(
        toDisposable(() => {
          signal.removeEventListener('abort', go);
        }),
      );
    });
  }
}
