import type { Client } from '../api/client';
import type { AccountRef, User } from '../model/account';
import type { TfaLogin } from '../model/tfa';
import { DisposableStore, toDisposable, type Disposable } from '../util/disposable';
import { Emitter, type Event } from '../util/emitter';
import { UserError } from '../util/errors';
import { text } from '../util/text';
import type { WindowHub } from './ports';

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

export interface WindowFocus {
  readonly isFocused: boolean;
  readonly onDidChange: Event<boolean>;
}

/** The account wants a second factor, and the person has not entered one. */
export class SecondFactorNeededError extends UserError {
  constructor() {
    super(text('This account asks for a second factor. Enter a code to go on.'), {
      nextStep: 'secondFactor',
    });
  }
}

const promptingTopic = 'secondFactor.prompting';
const declinedTopic = 'secondFactor.declined';

/**
 * Lets one window ask at a time, and only the one that somebody looks at. Who says no is not asked
 * again until they start it themselves.
 */
export class SecondFactorGate implements Disposable {
  private prompt: SecondFactorPrompt | undefined;
  private readonly declined = new Set<string>();
  /** Windows that ask now, by account. */
  private readonly askingElsewhere = new Map<string, string>();
  private readonly asking = new Set<string>();
  private readonly changed = new Emitter<undefined>();
  private readonly owned = new DisposableStore();

  constructor(
    private readonly hub: WindowHub,
    private readonly focus: WindowFocus,
  ) {
    const tell = () => {
      this.changed.fire(undefined);
    };
    this.owned.add(focus.onDidChange(tell));
    this.owned.add(
      hub.on(promptingTopic, (data) => {
        const { accountKey, windowId, isAsking } = promptingMessage(data);
        if (isAsking) {
          this.askingElsewhere.set(accountKey, windowId);
        } else {
          this.askingElsewhere.delete(accountKey);
        }
        tell();
      }),
    );
    this.owned.add(
      hub.on(declinedTopic, (data) => {
        this.declined.add(promptingMessage(data).accountKey);
        tell();
      }),
    );
    // A window that ends while it asks must not keep the others waiting.
    this.owned.add(
      hub.onDidChangePeers((peers) => {
        for (const [accountKey, windowId] of this.askingElsewhere) {
          if (!peers.has(windowId)) {
            this.askingElsewhere.delete(accountKey);
          }
        }
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
      if (this.prompt && this.focus.isFocused && !this.askingElsewhere.has(key) && !this.asking.has(key)) {
        return this.askHere(this.prompt, subject, signal);
      }
      await this.nextChange(signal);
    }
  }

  dispose(): void {
    this.owned.dispose();
    this.changed.dispose();
  }

  private async askHere(
    prompt: SecondFactorPrompt,
    subject: SecondFactorSubject,
    signal: AbortSignal,
  ): Promise<TfaLogin | undefined> {
    const accountKey = subject.account.key;
    const tell = (isAsking: boolean) => {
      this.hub.broadcast(promptingTopic, { accountKey, windowId: this.hub.windowId, isAsking });
    };
    this.asking.add(accountKey);
    tell(true);
    try {
      const login = await prompt(subject, signal);
      if (!login && !signal.aborted) {
        this.declined.add(accountKey);
        this.hub.broadcast(declinedTopic, { accountKey });
      }
      return login;
    } finally {
      this.asking.delete(accountKey);
      tell(false);
      this.changed.fire(undefined);
    }
  }

  private nextChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const store = new DisposableStore();
      const go = () => {
        store.dispose();
        resolve();
      };
      store.add(this.changed.event(go));
      signal.addEventListener('abort', go, { once: true });
      store.add(
        toDisposable(() => {
          signal.removeEventListener('abort', go);
        }),
      );
    });
  }
}

/** Messages of other windows may come from another version of the product. */
function promptingMessage(data: unknown): { accountKey: string; windowId: string; isAsking: boolean } {
  const fields: Readonly<Record<string, unknown>> =
    typeof data === 'object' && data !== null ? { ...data } : {};
  return {
    accountKey: String(fields['accountKey']),
    windowId: String(fields['windowId']),
    isAsking: fields['isAsking'] === true,
  };
}
