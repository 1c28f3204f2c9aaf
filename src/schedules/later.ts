import { watchAccounts } from '../shared/followAccount';
import type { LaterWing } from '../wing';

/** Schedules start with the first one, with a rental that has an end, and where an account that is not active may have instances. */
export const schedules: LaterWing = {
  name: 'schedules',
  stored: 'schedules',
  watch({ accounts, rentals }, begin, own) {
    const hasOthers = () =>
      accounts.known().then(
        ({ length }) => length > 1,
        () => true,
      );
    const hasEnds = () =>
      rentals.rentals.some(({ end, goneAt }) => end !== undefined && goneAt === undefined);
    const check = () => void hasOthers().then((isSo) => (isSo || hasEnds() ? begin() : undefined));
    own(rentals.onDidChange(() => void (hasEnds() ? begin() : undefined)));
    own(watchAccounts(accounts, check));
    check();
  },
  load: async () => {
    const { wingOfSchedules } = await import('./wing');
    return wingOfSchedules;
  },
};
