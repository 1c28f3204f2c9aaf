import { senderText } from '../../editor/auditText';
import { t } from '../../editor/localize';
import { momentText } from '../../editor/timeText';
import { endOfInstance } from '../../model/accounts/auditEntry';
import { readAuditLog } from '../../store/accounts/auditLog';
import type { PageDeps } from './instancePage';
import { ReadOnRequest } from './readOnRequest';

/** Returns who ended an instance, by the audit log of the service. */
export function whoEnded(
  deps: Pick<PageDeps, 'accounts' | 'clock' | 'log'>,
  instanceId: number,
  draw: () => void,
): ReadOnRequest<string> {
  return new ReadOnRequest(deps, {
    read: async (account) => {
      const log = await readAuditLog(account);
      const end = endOfInstance(log.entries, instanceId);
      return (
        end &&
        [
          senderText(end, log),
          end.address,
          end.at === undefined ? undefined : momentText(end.at, deps.clock.now()),
        ]
          .filter((part) => part !== undefined)
          .join(' · ')
      );
    },
    none: () => t('No entry in the audit log: a lost bid and the end of a contract leave none.'),
    draw,
  });
}
