import { runCommand } from '../../editor/commands';
import type { Disposable } from '../../util/disposable';
import { servedUntil } from '../model/job';
import type { Services } from '../services';

/** Starts the models wing, which does not look for work itself, while a job serves a model or lately did. */
export function followModels({ clock, jobs, log }: Pick<Services, 'clock' | 'jobs' | 'log'>): Disposable {
  const check = () => {
    const now = clock.now();
    if (jobs.rows.some((row) => row.job.serves && now < servedUntil(row))) {
      Promise.resolve(runCommand('gpuRental.model.follow')).catch((error: unknown) => {
        log.error('The models that jobs serve are not shown', error);
      });
    }
  };
  check();
  return jobs.onDidChange(check);
}
