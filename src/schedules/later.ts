import { watchAccounts } from '../shared/followAccount';
import type { LaterWing } from '../wing';

const useTimetable = 'gpuRental.end.useServiceTimetable';

/**
 * Schedules start with the first one, with a rental that has an end, and where an account that is not active may have instances.
 * They also start where the timetable of the service is used, which may hold what no schedule explains.
 */
export const schedules: LaterWing = {
  name: 'schedules',
  stored: 'schedules',
  watch({ accounts, rentals, settings }, begin, own) {
    const hasOthers = () =>
      accounts.known().then(
        ({ length }) => length > 1,
        () => true,
      );
    const hasEnds = () =>
      rentals.rentals.some(({ end, goneAt }) => end !== undefined && goneAt === undefined);
    const check = () =>
      void hasOthers().then((isSo) =>
        isSo || hasEnds() || settings.get(useTimetable) ? begin() : undefined,
      );
    own(rentals.onDidChange(() => void (hasEnds() ? begin() : undefined)));
    own(settings.onDidChange(useTimetable, check));
    own(watchAccounts(accounts, check));
    check();
  },
  load: async () => {
    const { wingOfSchedules } = await import('./wing');
    return wingOfSchedules;
  },
};
