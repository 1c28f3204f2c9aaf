import { explainingIfLost } from '../../../api/errors';
import {
  maintenanceCategories,
  type Machine,
  type MaintenanceCategory,
  type MaintenancePlan,
} from '../../../api/records/machine';
import { confirm } from '../../../editor/confirm';
import { t } from '../../../editor/localize';
import { message } from '../../../editor/message';
import { whileSending, withCancellableProgress } from '../../../editor/progress';
import { askLine, pickOne } from '../../../editor/quickPick';
import { momentText } from '../../../editor/timeText';
import { titleOf } from '../../../editor/titles';
import type { Services } from '../../../services';
import type { Account } from '../../../store/accounts/accounts';
import { UserError } from '../../../util/errors';
import { plainLabel } from '../../../util/plainLabel';
import { text, type Text } from '../../../util/text';
import type { MachineList } from './machineList';
import { formatStart, parseHours, parseStart } from './maintenanceInput';

const hourMs = 3_600_000;

/**
 * Asks for a maintenance window, confirms who is notified, and schedules it. Then reads the machines again, which also
 * shows what became of a request whose answer is lost.
 */
export async function scheduleMaintenance(
  { account, clock }: Pick<Services, 'clock'> & { readonly account: Account },
  machines: MachineList,
  machine: Machine,
): Promise<void> {
  const plan = await askForPlan(machine, () => clock.now());
  if (!plan || !(await isConfirmed(machine, plan, clock.now()))) {
    return;
  }
  let notified: number | undefined;
  try {
    ({ notified } = await withCancellableProgress(t('Waiting for the service…'), (signal) =>
      explainingIfLost(
        text(
          'The service did not answer, so the maintenance of machine #{0} may have been scheduled and its renters notified. Check the web console before you schedule it again.',
          machine.id,
        ),
        () => account.client.machines.scheduleMaintenance(machine.id, plan, { signal }),
      ),
    ));
  } finally {
    await machines.refresh();
  }
  message(
    'info',
    notified === undefined
      ? t('The maintenance of machine #{0} is scheduled.', machine.id)
      : t('The maintenance of machine #{0} is scheduled. Renters notified: {1}', machine.id, notified),
  );
}

/** Cancels one window of maintenance after a question, and reads the list until it shows that. */
export async function cancelMaintenance(
  { account, clock }: Pick<Services, 'clock'> & { readonly account: () => Account },
  machines: MachineList,
  maintenanceId: number | undefined,
): Promise<void> {
  const find = () => machines.windows.value?.find(({ id }) => id === maintenanceId);
  const window = find();
  if (!window || maintenanceId === undefined) {
    throw new UserError(text('This no longer exists. Refresh the list.'));
  }
  const now = clock.now();
  const machine = window.machineId ?? '?';
  const isWanted = await confirm({
    message: t('Cancel the maintenance of machine #{0}?', machine),
    detail: t(
      "Only the window from {0} is canceled. Renters were notified of it, and may have planned for it. A window that the service has set can't be canceled.",
      momentText(window.startsAt ?? Number.NaN, now),
    ),
    button: titleOf('gpuRental.machine.cancelMaintenance'),
    keep: t('Keep Maintenance'),
  });
  if (!isWanted) {
    return;
  }
  try {
    await whileSending(
      explainingIfLost(
        text(
          'The service did not answer, so the maintenance of machine #{0} may have been canceled. The list shows it once it is read.',
          machine,
        ),
        () => account().client.machines.cancelMaintenance(maintenanceId),
      ),
    );
  } finally {
    await machines.refresh();
  }
  const { state } = machines.windows;
  const isProved = state.kind === 'ready' && state.error === undefined && !find();
  message(
    isProved ? 'info' : 'warning',
    isProved
      ? t('The maintenance of machine #{0} is canceled.', machine)
      : t(
          'The service accepted that, but the list does not show that the maintenance of machine #{0} is canceled.',
          machine,
        ),
  );
}

async function askForPlan(machine: Machine, now: () => number): Promise<MaintenancePlan | undefined> {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const startsAt = await ask(
    t('Maintenance of Machine #{0}: {1}', machine.id, t('Start')),
    t('Date and time in your time zone ({0}).', zone),
    formatStart(Math.ceil((now() + hourMs) / hourMs) * hourMs),
    (input) => parseStart(input, now()),
  );
  if (startsAt === undefined) {
    return undefined;
  }
  const hours = await ask(
    t('Maintenance of Machine #{0}: {1}', machine.id, t('Duration')),
    t('Hours. The window starts at {0} UTC.', utc(startsAt)),
    '2',
    parseHours,
  );
  if (hours === undefined) {
    return undefined;
  }
  const category = await pickOne(
    maintenanceCategories.map((value) => ({ label: categoryLabel(value), value })),
    {
      title: t('Maintenance of Machine #{0}: {1}', machine.id, t('Kind')),
      placeHolder: t('What kind of maintenance is it?'),
    },
  );
  if (!category) {
    return undefined;
  }
  const reason = await askLine({
    title: t('Maintenance of Machine #{0}: {1}', machine.id, t('Reason')),
    prompt: t('Your renters see this text.'),
    ignoreFocusOut: true,
    problem: (input) => (input.trim() === '' ? t('Enter a value.') : undefined),
  });
  return reason === undefined || reason.trim() === ''
    ? undefined
    : { startsAt, hours, reason: reason.trim(), category: category.value };
}

/** Asks for one value; `undefined` if the user cancels. */
async function ask(
  title: string,
  prompt: string,
  value: string,
  parse: (input: string) => number | Text,
): Promise<number | undefined> {
  const typed = await askLine({
    title,
    prompt,
    value,
    ignoreFocusOut: true,
    problem: (input) => {
      const parsed = parse(input);
      return typeof parsed === 'number' ? undefined : parsed;
    },
  });
  const parsed = typed === undefined ? undefined : parse(typed);
  return typeof parsed === 'number' ? parsed : undefined;
}

async function isConfirmed(
  machine: Machine,
  { startsAt, hours }: MaintenancePlan,
  now: number,
): Promise<boolean> {
  return confirm({
    message: t('Schedule maintenance of machine #{0}?', machine.id),
    detail: t(
      'From {0} ({1} UTC) for {2} h. Its renters are notified at once.',
      momentText(startsAt, now),
      utc(startsAt),
      hours,
    ),
    button: t('Schedule and Notify'),
  });
}

/** `2027-01-31 08:30` */
function utc(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ');
}

/** Returns the name of a category; one that is not documented stays as the service names it. */
export function categoryText(category: string): string {
  const known = maintenanceCategories.find((each) => each === category);
  return known === undefined ? plainLabel(category) : categoryLabel(known);
}

function categoryLabel(category: MaintenanceCategory): string {
  const labels: Record<MaintenanceCategory, string> = {
    power: t('Power'),
    internet: t('Internet'),
    disk: t('Disk'),
    gpu: t('GPU'),
    software: t('Software'),
    other: t('Other'),
  };
  return labels[category];
}
