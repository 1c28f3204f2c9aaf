import { showInstances } from '../../editor/chooseInstance';
import { commandAction, titledAction } from '../../editor/commands';
import { isPerson } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { limitPerPeriod } from '../../model/budget/budgetText';
import type { Services } from '../../services';
import { mayAct } from '../../shared/oneWindow';
import { roundClaim, roundEndClaim } from '../../store/budget/budgetStops';
import { stopNotice, stopNoticeKind, type StopNotice } from '../../store/budget/stopNotice';
import type { Disposable } from '../../util/disposable';
import { assertNever } from '../../util/errors';

type Deps = Pick<Services, 'accounts' | 'hub' | 'notices' | 'oneWindow'>;

/** Announces the stop at the end of a budget, once over all windows, and lets the user decline it. */
export function showStopMessages(deps: Deps): Disposable {
  return deps.notices.onDidPost(({ key, kind, accountKey, data }) => {
    const notice = kind === stopNoticeKind ? stopNotice.safeParse(data).data : undefined;
    if (notice && accountKey === deps.accounts.active?.key) {
      deps.oneWindow.offer(key, () => showStop(deps, accountKey, notice));
    }
  });
}

function showStop(deps: Deps, accountKey: string, notice: StopNotice): void {
  const limit = localize(limitPerPeriod(notice));
  switch (notice.kind) {
    case 'soon':
      message(
        'warning',
        t(
          'Your budget of {0} is nearly spent. All running instances stop in 10 minutes at the earliest. Storage is kept and still costs money.',
          limit,
        ),
        { label: t('Not Now'), run: () => decline(deps, accountKey, notice) },
        titledAction('gpuRental.setBudget'),
      );
      return;
    case 'stopped':
      showStopped(notice, limit);
      return;
    case 'interrupted':
      message(
        'warning',
        t(
          'Your budget of {0} is spent, and a window closed while stopping your instances. Some may still be running.',
          limit,
        ),
        showInstances(),
      );
      return;
    default:
      assertNever(notice.kind);
  }
}

function showStopped({ stopped, left }: StopNotice, limit: string): void {
  if (stopped.length > 0) {
    message(
      'info',
      t(
        'Your budget of {0} is spent, so these instances are stopped: {1}. Storage still costs money.',
        limit,
        stopped.join(', '),
      ),
      showInstances(),
    );
  }
  if (left.length > 0) {
    message(
      'error',
      t(
        'Your budget of {0} is spent. Could not confirm that these instances are stopped, so you may still be charged: {1}.',
        limit,
        left.join(', '),
      ),
      commandAction(t('Stop Instances…'), 'gpuRental.instance.stop'),
    );
  }
}

/** Declines a round by claiming it first. */
async function decline({ hub }: Deps, accountKey: string, notice: StopNotice): Promise<void> {
  const { round } = notice;
  const isAgreed = await isPerson({
    message: t('Continue outside your budget?'),
    detail: t('Your instances keep running today. They still cost money.'),
    button: t('Keep Running'),
  });
  if (!isAgreed) {
    return;
  }
  if (await mayAct(hub, roundClaim(accountKey, round))) {
    await mayAct(hub, roundEndClaim(accountKey, round));
    message('info', t('Your instances keep running today. They still cost money.'));
  } else {
    message('warning', t('Your instances are already being stopped.'), showInstances());
  }
}
