import { register } from './ui';
import { scheduleServices } from './services';
import type { Wing } from '../wing';

export const wingOfSchedules: Wing = {
  name: 'schedules',
  start: (services, own) => {
    const made = scheduleServices(services, own);
    own(register({ ...services, ...made }));
    return made;
  },
};
