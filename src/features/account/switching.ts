import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { unwatchedText } from '../../model/accounts/unwatchedText';
import type { Services } from '../../services';
import { instanceCount, hasOpenRental } from './leftBehind';
import { plainLabel } from '../../util/plainLabel';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'rentals'>;

/**
 * Runs what may make another account active. Only schedules are carried out for accounts that are not active, so the
 * user is told once what is no longer watched.
 */
export async function switching<T>(deps: Deps, run: () => Promise<T>): Promise<T> {
  const { accounts, fleet } = deps;
  const before = accounts.active;
  // The list of the other account replaces this one.
  const left = before && {
    isDemo: before.isDemo,
    name: plainLabel(before.name),
    instances: instanceCount(fleet.state),
    hasOpenRental: hasOpenRental(deps),
  };
  const result = await run();
  const after = accounts.active?.key;
  const words = left && unwatchedText(left);
  if (before && words && after !== undefined && after !== before.key) {
    const back = () => switching(deps, () => accounts.switchTo(before.key));
    message('warning', localize(words), { label: t('Switch Back'), run: back });
  }
  return result;
}
