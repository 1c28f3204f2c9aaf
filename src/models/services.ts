import type { JobServices } from '../jobs/services';
import { NetworkTransport } from '../networkTransport';
import type { ScheduleServices } from '../schedules/services';
import type { Services as CoreServices } from '../services';
import type { Own } from '../wing';
import { findModel, hubUrl } from './store/hub';
import { ServedModels } from './store/servedModels';

export type ModelServices = ReturnType<typeof modelServices>;
/** What the features of this wing know. */
export type Services = CoreServices & ScheduleServices & JobServices & ModelServices;

/** Makes the models that jobs serve. */
export function modelServices(
  { clock, jobs, log, settings }: Pick<CoreServices & JobServices, 'clock' | 'jobs' | 'log' | 'settings'>,
  own: Own,
) {
  const url = hubUrl(process.env);
  const transport = own(new NetworkTransport(url, settings));
  return {
    servedModels: own(new ServedModels({ clock, jobs, log })),
    findModel: (repository: string, signal: AbortSignal) =>
      findModel({ transport, log, url }, repository, signal),
  };
}
