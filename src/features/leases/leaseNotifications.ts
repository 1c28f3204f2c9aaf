import * as vscode from 'vscode';
import { runCommand } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { plainLabel } from '../../editor/quickPick';
import { TellOnce } from '../../editor/tellOnce';
import { momentText } from '../../editor/timeText';
import { leaseNotice, leaseNoticeKind, type LeaseNotice } from '../../store/leases/leaseNotice';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { durationText } from '../../util/duration';
import { assertNever } from '../../util/errors';
import { cancel, diskPrice, extend } from './changes';
import type { LeaseDeps } from './deps';

type Action = readonly [label: string, run: () => Promise<unknown>];

/** Tells what happens to leases, once over all windows. */
export function registerNotifications(deps: LeaseDeps): Disposable {
  const store = new DisposableStore();
  const once = store.add(new TellOnce(deps));
  store.add(
    deps.notices.onDidPost(({ key, kind, accountKey, data }) => {
      const parsed = leaseNotice.safeParse(data);
      if (kind !== leaseNoticeKind || !parsed.success) {
        return;
      }
      const notice = { ...parsed.data, name: plainLabel(parsed.data.name) };
      const isActive = accountKey === deps.accounts.active?.key;
      once.offer(key, () => (isActive ? tell(deps, notice) : tellOther(deps, accountKey, notice)));
    }),
  );
  return store;
}

/** Of an account that is not the active one: what can be done about it needs that account. */
async function tellOther(deps: LeaseDeps, accountKey: string, notice: LeaseNotice): Promise<void> {
  const account = (await deps.accounts.known()).find(({ key }) => key === accountKey);
  if (!account) {
    return;
  }
  const name = t('{0} of {1}', notice.name, plainLabel(account.name));
  const [level, message] = words(deps, { ...notice, name });
  const show = level === 'info' ? vscode.window.showInformationMessage : vscode.window.showWarningMessage;
  const change = t('Switch Account…');
  if ((await show(message, change)) === change) {
    await runCommand('gpuRental.switchAccount');
  }
}

async function tell(deps: LeaseDeps, notice: LeaseNotice): Promise<void> {
  const { instanceId, leaseId } = notice;
  await deps.leases.ready;
  const isCurrent = deps.leases.find(instanceId)?.lease.id === leaseId;
  const needsAnswer = notice.kind === 'soon' || notice.kind === 'failed' || notice.kind === 'missed';
  if (needsAnswer && !isCurrent) {
    return;
  }
  const [level, message, actions] = words(deps, notice);
  const show = level === 'info' ? vscode.window.showInformationMessage : vscode.window.showWarningMessage;
  const chosen = await show(message, ...actions.map(([label]) => label));
  const action = actions.find(([label]) => label === chosen);
  if (!action) {
    return;
  }
  if (needsAnswer && deps.leases.find(instanceId)?.lease.id !== leaseId) {
    void vscode.window.showInformationMessage(
      t('{0} has already changed. The list shows its current state.', notice.name),
    );
    return;
  }
  await action[1]();
}

function words(
  deps: LeaseDeps,
  notice: LeaseNotice,
): readonly [level: 'info' | 'warning', message: string, actions: readonly Action[]] {
  const { kind, name, instanceId, action } = notice;
  const now = deps.clock.now();
  const at = momentText(notice.at, now);
  const more: Action = [t('Extend by 1 Hour'), () => extend(deps, instanceId)];
  const keep: Action = [t('Cancel, and Keep It'), () => cancel(deps, instanceId)];
  const destroy: Action = [
    t('Destroy…'),
    () => Promise.resolve(runCommand('gpuRental.instance.destroy', { instanceId })),
  ];
  const start: Action = [
    t('Start…'),
    () => Promise.resolve(runCommand('gpuRental.instance.start', { instanceId })),
  ];
  switch (kind) {
    case 'soon':
      return ['warning', soonText(notice, now), [more, keep]];
    case 'stopped':
      return [
        'info',
        notice.isLate === true
          ? t(
              '{0} was to be stopped at {1}, when no editor was open. It is stopped now. Its disk still costs {2}.',
              name,
              at,
              diskPrice(deps, instanceId),
            )
          : t('{0} is stopped, as scheduled. Its disk still costs {1}.', name, diskPrice(deps, instanceId)),
        [start, destroy],
      ];
    case 'destroyed':
      return ['info', t('{0} is destroyed, as scheduled. The service no longer lists it.', name), []];
    case 'gone':
      return ['info', t('{0} was to be stopped, and the service does not list it any more.', name), []];
    case 'failed': {
      const why =
        notice.problem === undefined
          ? t('The service took it and still shows the instance as before.')
          : localize(notice.problem);
      return [
        'warning',
        action === 'stop'
          ? t('{0} is not stopped yet and still costs money. Retrying… {1}', name, why)
          : t('{0} is not destroyed yet and still costs money. Retrying… {1}', name, why),
        [keep],
      ];
    }
    case 'missed':
      return [
        'warning',
        t(
          '{0} was to be destroyed at {1}, when no editor was open. It still exists and costs money. What now?',
          name,
          at,
        ),
        [destroy, more, keep],
      ];
    default:
      return assertNever(kind);
  }
}

function soonText({ name, action, at, idleMinutes }: LeaseNotice, now: number): string {
  const left = localize(durationText(at - now));
  const time = momentText(at, now);
  const text =
    action === 'stop'
      ? t('{0} will be stopped in {1}, at {2}.', name, left, time)
      : t('{0} will be destroyed in {1}, at {2}. Everything on it is lost then.', name, left, time);
  return idleMinutes === undefined
    ? text
    : `${text} ${t('It has been idle since {0}.', momentText(at - idleMinutes * 60_000, now))}`;
}
