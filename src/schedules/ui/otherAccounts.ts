import { commandAction } from '../../editor/commands';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { pricePerHour } from '../../editor/priceText';
import type { Services } from '../services';
import { otherAccountKind, otherAccountNotice, type OtherAccountNotice } from '../store/otherMachines';
import type { Disposable } from '../../util/disposable';
import { plainLabel } from '../../util/plainLabel';

type Deps = Pick<Services, 'accounts' | 'notices' | 'oneWindow'>;

/** Shows what the daily look at accounts that are not active has found. */
export function tellOfOtherAccounts(deps: Deps): Disposable {
  const { accounts, notices, oneWindow } = deps;
  return notices.onDidPost(({ key, kind, accountKey, data }) => {
    const notice = kind === otherAccountKind ? otherAccountNotice.safeParse(data).data : undefined;
    if (notice) {
      oneWindow.offer(key, () => tell(deps, accountKey, notice), {
        isStillSo: () => accountKey !== accounts.active?.key,
      });
    }
  });
}

async function tell({ accounts }: Deps, accountKey: string, notice: OtherAccountNotice): Promise<void> {
  const account = (await accounts.known()).find(({ key }) => key === accountKey);
  if (account) {
    const action = commandAction(t('Switch Account…'), 'gpuRental.switchAccount');
    message('warning', sentence(plainLabel(account.name), notice), action);
  }
}

function sentence(account: string, notice: OtherAccountNotice): string {
  if (notice.kind === 'ended') {
    return t('{0} of {1} no longer exists, and its data is lost.', plainLabel(notice.name), account);
  }
  const names = notice.names.map((name) => plainLabel(name)).join(', ');
  const price = pricePerHour(notice.perHour);
  return notice.isPartial
    ? t(
        'Instances of {0} are still running: {1}. The account is charged at least {2}.',
        account,
        names,
        price,
      )
    : t('Instances of {0} are still running: {1}. The account is charged {2}.', account, names, price);
}
