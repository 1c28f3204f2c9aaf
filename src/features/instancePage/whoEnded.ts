import { senderText } from '../../editor/auditText';
import { reasonOf, t } from '../../editor/localize';
import { momentText } from '../../editor/timeText';
import { endOfInstance } from '../../model/accounts/auditEntry';
import { readAuditLog } from '../../store/accounts/auditLog';
import { accountFor } from '../../store/accounts/sameAccount';
import type { PageDeps } from './instancePage';

/** Who ended an instance, by the audit log of the service, once the user asks for that. */
export class WhoEnded {
  private found: string | undefined;
  private isReading = false;
  private hasAnswer = false;

  constructor(
    private readonly deps: Pick<PageDeps, 'accounts' | 'clock' | 'log'>,
    private readonly instanceId: number,
    private readonly draw: () => void,
  ) {}

  /** What the page shows: nothing before the first read. */
  get text(): string | undefined {
    return this.isReading ? t('Loading…') : this.found;
  }

  /** False once the log answered: how an instance ended does not change. */
  get canRead(): boolean {
    return !this.isReading && !this.hasAnswer;
  }

  /** Never rejects, because the page shows the error. */
  async read(): Promise<void> {
    this.isReading = true;
    this.draw();
    try {
      const account = accountFor(this.deps.accounts);
      const log = await readAuditLog(account());
      account();
      const end = endOfInstance(log.entries, this.instanceId);
      this.hasAnswer = end !== undefined;
      this.found =
        end === undefined
          ? t('No entry in the audit log: a lost bid and the end of a contract leave none.')
          : [
              senderText(end, log),
              end.address,
              end.at === undefined ? undefined : momentText(end.at, this.deps.clock.now()),
            ]
              .filter((part) => part !== undefined)
              .join(' · ');
    } catch (error) {
      this.deps.log.info(`The audit log could not be read: ${String(error)}`);
      this.found = reasonOf(error) ?? t('Something unexpected happened. See the log for details.');
    } finally {
      this.isReading = false;
      this.draw();
    }
  }
}
