import type { JobServices } from '../jobs/services';
import type { ScheduleServices } from '../schedules/services';
import type { Services } from '../services';
import type { Own, Wing } from '../wing';
import { agentServices } from './services';
import { register as registerOversight } from './ui/oversight';
import { register as registerRequests } from './ui/requests';
import { register as registerSetUp } from './ui/setUp';

export const wingOfAgents: Wing = {
  name: 'agents',
  needs: ['schedules', 'jobs'],
  start(services: Services & ScheduleServices & JobServices, own: Own) {
    const made = agentServices(services, own);
    own(registerOversight({ ...services, ...made }));
    own(registerRequests({ ...services, ...made }));
    own(registerSetUp({ ...services, ...made }));
    return made;
  },
};
