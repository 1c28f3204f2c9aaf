import type { JobServices } from '../jobs/services';
import type { ScheduleServices } from '../schedules/services';
import type { Services as CoreServices } from '../services';
import type { Own } from '../wing';
import { ServedModels } from './store/servedModels';

export type ModelServices = ReturnType<typeof modelServices>;
/** What the features of this wing know. */
export type Services = CoreServices & ScheduleServices & JobServices & ModelServices;

/** Makes the models that jobs serve. */
export function modelServices({ jobs, log }: Pick<CoreServices & JobServices, 'jobs' | 'log'>, own: Own) {
  return { servedModels: own(new ServedModels({ jobs, log })) };
}
