import type { Wing } from '../wing';
import { scheduleServices } from './services';
import { register } from './ui';

export const wingOfSchedules: Wing = {
  name: 'schedules',
  start: (services, own) => {
    const made = scheduleServices(services, own);
    own(register({ ...services, ...made }));
    return made;
  },
};
