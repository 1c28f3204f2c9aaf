import type { Services } from '../services';
import type { Own, Wing } from '../wing';
import { RentalHistory } from './store/rentalHistory';
import { register } from './ui';

export const history: Wing = {
  name: 'history',
  start(services: Services, own: Own) {
    const made = { history: own(new RentalHistory(services)) };
    own(register({ ...services, ...made }));
    return made;
  },
};
