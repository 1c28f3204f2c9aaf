import { watchAccounts } from '../shared/followAccount';
import type { LaterWing } from '../wing';

/** Schedules start with the first one, and where an account that is not active may have instances. */
export const schedules: LaterWing = {
  name: 'schedules',
  stored: 'schedules',
  watch({ accounts }, begin, own) {
    const hasOthers = () =>
      accounts.known().then(
        ({ length }) => length > 1,
        () => true,
      );
    const check = () => void hasOthers().then((isSo) => (isSo ? begin() : undefined));
    own(watchAccounts(accounts, check));
    check();
  },
  load: async () => {
    const { wingOfSchedules } = await import('./wing');
    return wingOfSchedules;
  },
};
