import type { JobServices } from '../jobs/services';
import type { ScheduleServices } from '../schedules/services';
import type { Services } from '../services';
import type { Own, Wing } from '../wing';
import { modelServices } from './services';
import { register } from './ui';

export const wingOfModels: Wing = {
  name: 'models',
  needs: ['schedules', 'jobs'],
  start(services: Services & ScheduleServices & JobServices, own: Own) {
    const made = modelServices(services, own);
    own(register({ ...services, ...made }));
    return made;
  },
};
