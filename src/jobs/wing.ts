import type { ScheduleServices } from '../schedules/services';
import type { Services } from '../services';
import type { Own, Wing } from '../wing';
import { jobServices } from './services';
import { register } from './ui';
import { register as registerWorkspaceFile } from './ui/workspaceFile';

export const wingOfJobs: Wing = {
  name: 'jobs',
  start(services: Services & ScheduleServices, own: Own) {
    const made = jobServices(services, own);
    own(register({ ...services, ...made }));
    own(registerWorkspaceFile({ ...services, ...made }));
    return made;
  },
};
