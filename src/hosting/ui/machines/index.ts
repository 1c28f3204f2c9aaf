import { explainingIfLost } from '../../../api/errors';
import type { Machine } from '../../../api/records/machine';
import { commandAction } from '../../../editor/commands';
import { readLongAgo } from '../../../editor/listRows';
import { t } from '../../../editor/localize';
import { message } from '../../../editor/message';
import { inView, whileAsking, withCancellableProgress } from '../../../editor/progress';
import { askLine, askNumber, pickOne } from '../../../editor/quickPick';
import { momentText } from '../../../editor/timeText';
import { labelOf, titleOf } from '../../../editor/titles';
import { formatMoney, fromDollars, type Micros } from '../../../model/money';
import type { Services } from '../../../services';
import { NotSignedInError } from '../../../shared/notSignedIn';
import type { Account } from '../../../store/accounts/accounts';
import { accountFor } from '../../../store/accounts/sameAccount';
import { isUnlisted } from '../../../store/unlisted';
import { DisposableStore, MutableDisposable, type Disposable } from '../../../util/disposable';
import { UserError } from '../../../util/errors';
import { plainLabel } from '../../../util/plainLabel';
import { text } from '../../../util/text';
import { MachineList } from './machineList';
import { MachineTree, occupancyText } from './machineTree';
import { cancelMaintenance, scheduleMaintenance } from './maintenance';
import { parsePrice } from './maintenanceInput';

type Deps = Pick<
  Services,
  'accounts' | 'clock' | 'keyAccess' | 'log' | 'commands' | 'contextKeys' | 'trees' | 'settings'
>;

/** Registers the hosting view, with minimum bid and maintenance, for accounts that rent out machines. */
export function register(deps: Deps): Disposable {
  const store = new DisposableStore();
  const machines = store.add(new MachineList(deps));
  deps.trees['gpuRental.hosting'].setProvider(store.add(new MachineTree(deps, machines)));
  store.add(new ListAge(deps, machines));
  const show = () => {
    const { state } = machines;
    deps.contextKeys.set(
      'gpuRental.hosting',
      deps.settings.get('gpuRental.hosting.show') === 'always'
        ? deps.accounts.active !== undefined
        : state.kind === 'ready' && state.value.length > 0,
    );
  };
  store.add(machines.onDidChange(show));
  store.add(deps.settings.onDidChange('gpuRental.hosting', show));
  show();
  store.add(
    deps.commands.register('gpuRental.refreshMachines', () =>
      inView('gpuRental.hosting', () => machines.refresh()),
    ),
  );
  store.add(
    deps.commands.register('gpuRental.machine.setMinimumBid', async (target) => {
      const account = accountFor(deps.accounts);
      const machine = await chooseMachine(deps, machines, target, titleOf('gpuRental.machine.setMinimumBid'));
      if (machine) {
        await setMinimumBid({ ...deps, account: account() }, machines, machine);
      }
    }),
  );
  store.add(
    deps.commands.register('gpuRental.machine.scheduleMaintenance', async (target) => {
      const account = accountFor(deps.accounts);
      const machine = await chooseMachine(
        deps,
        machines,
        target,
        titleOf('gpuRental.machine.scheduleMaintenance'),
      );
      if (machine) {
        await scheduleMaintenance({ ...deps, account: account() }, machines, machine);
      }
    }),
  );
  store.add(
    deps.commands.register('gpuRental.machine.cancelMaintenance', (target) =>
      cancelMaintenance({ ...deps, account: accountFor(deps.accounts) }, machines, target?.maintenanceId),
    ),
  );
  return store;
}

async function chooseMachine(
  { accounts }: Deps,
  machines: MachineList,
  target: { readonly machineId: number } | undefined,
  title: string,
): Promise<Machine | undefined> {
  if (!accounts.active) {
    throw new NotSignedInError();
  }
  if (machines.state.kind !== 'ready') {
    await whileAsking(machines.refresh());
  }
  const { state } = machines;
  if (state.kind === 'failed') {
    if (target || !isUnlisted(state.error)) {
      throw state.error;
    }
    const id = await askNumber({ title, prompt: t('Number of the machine.') });
    return id === undefined ? undefined : { id };
  }
  if (target) {
    const machine = machines.find(target.machineId);
    if (!machine) {
      throw new UserError(text('This no longer exists. Refresh the list.'));
    }
    return machine;
  }
  const rows = (state.kind === 'ready' ? state.value : []).map((machine) => ({
    label: plainLabel(`#${machine.id} ${machine.gpuCount ?? 1}× ${machine.gpuName ?? ''}`),
    description: occupancyText(machine) ?? '',
    machine,
  }));
  if (rows.length === 0) {
    message('info', t('This account has no machines to rent out.'));
    return undefined;
  }
  return (await pickOne(rows, { title, placeHolder: t('Which one?') }))?.machine;
}

async function setMinimumBid(
  { account, log }: Pick<Deps, 'log'> & { readonly account: Account },
  machines: MachineList,
  machine: Machine,
): Promise<void> {
  const current = machine.minBidPerHour;
  const typed = await askLine({
    title: t('Minimum Bid of Machine #{0}', machine.id),
    prompt: [
      current === undefined ? undefined : t('Now: {0}/h for one GPU.', formatMoney(current)),
      await marketHint({ account, log }, machine),
      t('Interruptible rentals with a lower bid are not accepted.'),
    ]
      .filter((part) => part !== undefined)
      .join(' '),
    value: current === undefined ? '' : String(current / 1e6),
    ignoreFocusOut: true,
    problem: (value) => {
      const price = parsePrice(value);
      return typeof price === 'number' ? undefined : price;
    },
  });
  const price = typed === undefined ? undefined : parsePrice(typed);
  if (typeof price !== 'number') {
    return;
  }
  const sent = await withCancellableProgress(t('Waiting for the service…'), (signal) =>
    explainingIfLost(
      text(
        'The service did not answer, so the minimum bid of machine #{0} may have changed. Refresh and check it before you set it again.',
        machine.id,
      ),
      () => account.client.machines.setMinimumBid(machine.id, fromDollars(price), { signal }),
    ),
  );
  await machines.refresh();
  reportMinimumBid(machines, machine, sent.price ?? fromDollars(price));
}

/** The answer only echoes the request, so a bid is in force only once the list states it. */
function reportMinimumBid({ state }: MachineList, { id }: Machine, accepted: Micros): void {
  const list = state.kind === 'ready' && state.error === undefined ? state.value : [];
  const bid = formatMoney(accepted);
  const current = list.find((one) => one.id === id)?.minBidPerHour;
  if (current === undefined) {
    message('info', t('The service accepted a minimum bid of {1}/h for machine #{0}.', id, bid));
    return;
  }
  const listed = formatMoney(current);
  if (listed === bid) {
    message('info', t('Machine #{0} accepts bids from {1} an hour for one GPU.', id, bid));
    return;
  }
  message(
    'warning',
    t(
      'The service accepted a minimum bid of {1}/h for machine #{0}, but the list still shows {2}/h.',
      id,
      bid,
      listed,
    ),
    commandAction(labelOf('gpuRental.refresh'), 'gpuRental.refreshMachines'),
  );
}

/** Returns the market prices for this GPU, if the service states them; never rejects for a failed read. */
async function marketHint(
  { account, log }: Pick<Deps, 'log'> & { readonly account: Account },
  machine: Machine,
): Promise<string | undefined> {
  try {
    const { gpus } = await whileAsking(
      account.client.metrics.gpus({ verified: 'all', hostingType: 'all', gpuCount: 'all' }),
    );
    const gpu = gpus.find(({ gpuName }) => gpuName === machine.gpuName);
    return gpu?.priceP25 === undefined || gpu.priceMedian === undefined || gpu.priceP75 === undefined
      ? undefined
      : t(
          'Half of the market asks {1} to {3} for {0}; the median is {2}.',
          gpu.gpuName,
          formatMoney(gpu.priceP25),
          formatMoney(gpu.priceMedian),
          formatMoney(gpu.priceP75),
        );
  } catch (error) {
    log.info(`No market figures for the minimum bid: ${String(error)}`);
    return undefined;
  }
}

/** How often the age is rewritten while the view is visible (ms). */
const tickMs = 60_000;

/** Shows above the machines how old their list is: it is read once per sign-in and on *Refresh*. */
export class ListAge implements Disposable {
  private readonly owned = new DisposableStore();
  private readonly timer = this.owned.add(new MutableDisposable<Disposable>());

  constructor(
    private readonly deps: Pick<Services, 'clock' | 'trees'>,
    private readonly machines: MachineList,
  ) {
    const updateView = () => {
      this.updateView();
    };
    this.owned.add(machines.onDidChange(updateView));
    this.owned.add(deps.trees['gpuRental.hosting'].view.onDidChangeVisibility(updateView));
  }

  dispose(): void {
    this.owned.dispose();
  }

  private updateView(): void {
    const { clock, trees } = this.deps;
    const { view } = trees['gpuRental.hosting'];
    const { state } = this.machines;
    const now = clock.now();
    const readAt = readLongAgo(state, now);
    // After a failed refresh, a row shows since when.
    const hasFailed = state.kind === 'ready' && state.error !== undefined;
    const message = readAt === undefined || hasFailed ? '' : t('Shown as of {0}.', momentText(readAt, now));
    // The editor delays rows after each assignment.
    if (message !== (view.message ?? '')) {
      view.message = message;
    }
    this.timer.value =
      state.kind === 'ready' && view.visible ? clock.schedule(() => this.updateView(), tickMs) : undefined;
  }
}
