import { reasonOf, t } from '../../editor/localize';
import type { Account } from '../../store/accounts/accounts';
import { accountFor } from '../../store/accounts/sameAccount';
import type { PageDeps } from './instancePage';

/** Something that a page reads from the service once the user asks for it. */
export class ReadOnRequest<T> {
  /** The answer, once there is one. */
  value: T | undefined;
  private note: string | undefined;
  private isReading = false;

  constructor(
    private readonly deps: Pick<PageDeps, 'accounts' | 'log'>,
    private readonly on: {
      /** Returns `undefined` if the service does not know it, so that it can be asked again. */
      readonly read: (account: Account) => Promise<T | undefined>;
      /** Shown where the service does not know it. */
      readonly none: () => string;
      readonly draw: () => void;
    },
  ) {}

  /** What is shown in place of an answer: nothing before the first read. */
  get text(): string | undefined {
    return this.isReading ? t('Loading…') : this.note;
  }

  get canRead(): boolean {
    return !this.isReading;
  }

  /** Never rejects, because the page shows the error. */
  async read(): Promise<void> {
    this.isReading = true;
    this.on.draw();
    try {
      const account = accountFor(this.deps.accounts);
      const value = await this.on.read(account());
      account();
      this.value = value ?? this.value;
      this.note = value === undefined ? this.on.none() : undefined;
    } catch (error) {
      this.deps.log.info(`Something that the user asked for could not be read: ${String(error)}`);
      this.note = reasonOf(error) ?? t('Something unexpected happened. See the log for details.');
    } finally {
      this.isReading = false;
      this.on.draw();
    }
  }
}
