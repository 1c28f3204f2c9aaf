import type { Clock } from '../../util/clock';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';

/** The part of `vscode.SecretStorage` that the session store needs. */
export interface SecretPort {
  /** Returns the keys of all entries. */
  keys(): Promise<readonly string[]>;
  get(key: string): Promise<string | undefined>;
  store(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
  onDidChange(listener: (key: string) => void): Disposable;
}

/** A key ring may wait for its owner to unlock it. Nothing else may wait that long. */
export const secretStoreLimitMs = 10_000;

/** The secret store did not answer in time; the answer may still come. */
export class SecretStoreSilentError extends Error {
  constructor() {
    super('The secret store did not answer in time');
    this.name = 'SecretStoreSilentError';
  }
}

/**
 * Wraps a secret store so that it always answers: requests longer than `secretStoreLimitMs` are refused. A
 * value that arrives later fires a change and is returned by the next `get`, so that a slow key ring is not
 * asked again and again.
 */
export function patientSecrets(secrets: SecretPort, clock: Clock): SecretPort {
  return new PatientSecrets(secrets, clock);
}

interface Question {
  readonly answer: Promise<string | undefined>;
  /** A caller has given up waiting for the answer. */
  isLate: boolean;
}

class PatientSecrets implements SecretPort {
  private readonly changed = new Emitter<string>();
  /** The newest unanswered read of each key; until it is late, callers share it. */
  private readonly asked = new Map<string, Question>();
  private readonly late = new Map<string, string | undefined>();

  constructor(
    private readonly secrets: SecretPort,
    private readonly clock: Clock,
  ) {}

  keys(): Promise<readonly string[]> {
    return this.inTime(promised(() => this.secrets.keys()));
  }

  async get(key: string): Promise<string | undefined> {
    if (this.late.has(key)) {
      const value = this.late.get(key);
      this.late.delete(key);
      return value;
    }
    const open = this.asked.get(key);
    const question = open && !open.isLate ? open : this.ask(key);
    try {
      return await this.inTime(question.answer);
    } catch (error) {
      question.isLate ||= error instanceof SecretStoreSilentError;
      throw error;
    }
  }

  store(key: string, value: string): Promise<void> {
    this.forget(key);
    return this.inTime(promised(() => this.secrets.store(key, value)));
  }

  delete(key: string): Promise<void> {
    this.forget(key);
    return this.inTime(promised(() => this.secrets.delete(key)));
  }

  onDidChange(listener: (key: string) => void): Disposable {
    const subscriptions = new DisposableStore();
    subscriptions.add(this.changed.event(listener));
    subscriptions.add(
      this.secrets.onDidChange((key) => {
        this.forget(key);
        listener(key);
      }),
    );
    return subscriptions;
  }

  private ask(key: string): Question {
    const question: Question = { answer: promised(() => this.secrets.get(key)), isLate: false };
    this.asked.set(key, question);
    const isAnswered = () => {
      const isLatest = this.asked.get(key) === question;
      if (isLatest) {
        this.asked.delete(key);
      }
      return isLatest && question.isLate;
    };
    question.answer.then(
      (value) => {
        if (isAnswered()) {
          this.late.set(key, value);
          this.changed.fire(key);
        }
      },
      () => {
        isAnswered();
      },
    );
    return question;
  }

  /** Drops the read of a key, because a change made it out of date. */
  private forget(key: string): void {
    this.asked.delete(key);
    this.late.delete(key);
  }

  private inTime<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = this.clock.schedule(() => {
        reject(new SecretStoreSilentError());
      }, secretStoreLimitMs);
      answer.then(resolve, reject).finally(() => {
        timer.dispose();
      });
    });
  }
}

/** Turns a synchronous throw into a rejected promise. */
async function promised<T>(run: () => Promise<T>): Promise<T> {
  return run();
}
