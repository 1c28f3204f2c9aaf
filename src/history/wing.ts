import type { ScheduleServices } from '../schedules/services';
import type { Services } from '../services';
import type { Own, Wing } from '../wing';
import { RentalHistory } from './store/rentalHistory';
import { register } from './ui';

export const history: Wing = {
  name: 'history',
  needs: ['schedules'],
  start(services: Services & ScheduleServices, own: Own) {
    const made = { history: own(new RentalHistory(services)) };
    own(register({ ...services, ...made }));
    return made;
  },
};
