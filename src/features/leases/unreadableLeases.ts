import { commandAction } from '../../editor/commands';
import { reasonOf, t } from '../../editor/localize';
import { message } from '../../editor/message';
import type { UnreadableLease } from '../../store/leases/leaseFiles';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { nameOfInstance } from './changes';
import type { LeaseDeps } from './deps';

const dayMs = 24 * 3_600_000;

/** Reports schedules that can't be read and so won't be carried out, once a day in one window. */
export function tellUnreadable(deps: LeaseDeps): Disposable {
  const store = new DisposableStore();
  const { leases, accounts, clock, oneWindow } = deps;
  const look = () => {
    const account = accounts.active?.key;
    if (account === undefined) {
      return;
    }
    const day = Math.floor(clock.now() / dayMs);
    for (const one of leases.unreadable) {
      // A file that was set aside stays so for good, so it is reported once.
      const turn = one.kind === 'damaged' ? '' : `:${day}`;
      oneWindow.offer(`${account}:leaseFile:${one.path}${turn}`, () => tell(deps, one));
    }
    const { error } = leases;
    if (error !== undefined) {
      oneWindow.offer(`${account}:leaseFolder:${day}`, () => tellFolder(deps, error));
    }
  };
  store.add(leases.onDidChange(look));
  return store;
}

function tell(deps: LeaseDeps, { instanceId, path, kind }: UnreadableLease): void {
  const name = nameOfInstance(deps, instanceId);
  if (kind === 'damaged') {
    message(
      'warning',
      t(
        'The schedule of {0} is damaged, so {0} will not stop or be destroyed by itself. Set it again. The old file is {1}.',
        name,
        path,
      ),
      commandAction(t('Set Again…'), 'gpuRental.instance.setLease', { instanceId }),
    );
    return;
  }
  message(
    'warning',
    t(
      'Could not read the schedule of {0}, so {0} will not stop or be destroyed by itself. Check the permissions of {1}.',
      name,
      path,
    ),
    {
      label: t('Try Again'),
      run: async () => {
        await deps.leases.refresh();
        const still = deps.leases.unreadable.find((one) => one.path === path);
        if (still) {
          tell(deps, still);
        }
      },
    },
  );
}

function tellFolder(deps: LeaseDeps, error: unknown): void {
  const why = reasonOf(error) ?? t('See the log for the reason.');
  message(
    'warning',
    t('Could not read the schedules, so nothing will stop or be destroyed by itself. {0}', why),
    {
      label: t('Try Again'),
      run: async () => {
        await deps.leases.refresh();
        if (deps.leases.error !== undefined) {
          tellFolder(deps, deps.leases.error);
        }
      },
    },
  );
}
