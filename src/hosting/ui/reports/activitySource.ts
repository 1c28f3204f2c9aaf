import { t } from '../../../editor/localize';
import { auditAction } from '../../../model/accounts/auditEntry';
import type { ServiceAuditLog } from '../../../store/accounts/auditLog';
import type { OwnActionList } from '../../../store/accounts/ownActions';
import { auditSection } from './activityView';
import { reportNotice, type ReportNotice } from './notice';
import { isOfInstances, ownSection } from './ownActionsView';
import type { ReportSource } from './reportController';

/** A page stays quick with so many rows. The JSON file has all of them. */
const mostRows = 2000;

/** What the service recorded, and what this product took down; or why one of them could not be read. */
export interface Activity {
  readonly service: ServiceAuditLog | { readonly problem: string };
  readonly own: OwnActionList | { readonly problem: string };
}

/** What changed something in the account, as the service recorded it, and what this computer did. */
export class ActivitySource implements ReportSource<Activity> {
  readonly id = 'activity';
  readonly title = t('Account Activity');
  private isOfInstances = false;

  constructor(readonly read: (signal: AbortSignal) => Promise<Activity>) {}

  subtitle(): string {
    return t('What changed your account, and who did it. Values that were sent are not shown.');
  }

  filters() {
    return [
      {
        id: 'of',
        label: t('Change'),
        value: this.isOfInstances ? 'instances' : '',
        options: [
          { value: '', label: t('All') },
          { value: 'instances', label: t('Instances') },
        ],
      },
    ];
  }

  setFilter(_id: string, value: string): boolean {
    this.isOfInstances = value === 'instances';
    return false;
  }

  buttons() {
    return [];
  }

  draw({ service, own }: Activity) {
    const entries = 'problem' in service ? [] : this.entriesOf(service);
    const actions = 'problem' in own ? [] : this.actionsOf(own);
    return {
      tiles: [],
      sections: [
        ...('problem' in service ? [] : [auditSection(entries.slice(0, mostRows), service)]),
        ...('problem' in own ? [] : [ownSection(actions.slice(0, mostRows))]),
      ],
      notices: [
        ...('problem' in service
          ? [reportNotice('warning', t("Could not read the service's audit log. {0}", service.problem))]
          : [
              reportNotice(
                'info',
                t('A stop by the service itself, such as a lost bid, leaves no entry in its audit log.'),
              ),
              ...countNotices(entries.length),
              ...skippedNotices(
                service.skipped,
                t('Could not be read and are left out: {0}. The log names the field.', service.skipped),
              ),
            ]),
        ...('problem' in own
          ? [reportNotice('warning', t('Could not read what this computer did. {0}', own.problem))]
          : [
              ...countNotices(actions.length),
              ...skippedNotices(
                own.skipped,
                t('Actions of this computer that could not be read and are left out: {0}', own.skipped),
              ),
            ]),
      ],
    };
  }

  json({ service, own }: Activity): unknown {
    return {
      ...('problem' in service ? service : { skipped: service.skipped, entries: this.entriesOf(service) }),
      own: 'problem' in own ? own : { ...own, actions: this.actionsOf(own) },
    };
  }

  private entriesOf({ entries }: ServiceAuditLog): ServiceAuditLog['entries'] {
    return this.isOfInstances ? entries.filter((entry) => auditAction(entry) !== undefined) : entries;
  }

  private actionsOf({ actions }: OwnActionList): OwnActionList['actions'] {
    return this.isOfInstances ? actions.filter(isOfInstances) : actions;
  }
}

function countNotices(count: number): readonly ReportNotice[] {
  return count > mostRows
    ? [reportNotice('info', t('Only the latest entries are shown: {0} of {1}.', mostRows, count))]
    : [];
}

function skippedNotices(skipped: number, sentence: string): readonly ReportNotice[] {
  return skipped > 0 ? [reportNotice('warning', sentence)] : [];
}
