import { localize, t } from '../../editor/localize';
import { withCancellableProgress } from '../../editor/progress';
import { DisposableStore, toDisposable, type Disposable } from '../../util/disposable';
import { machineOf, type JobMove, type JobRow } from '../model/job';
import { amountText } from '../model/jobText';
import type { JobDeps } from './deps';

/** A transfer that is faster than this shows no notification (ms). */
const soonMs = 1000;

type MoveDeps = Pick<JobDeps, 'clock' | 'jobs' | 'report' | 'windowInUse'>;

/**
 * Shows the progress of transfers in the window in use. Canceling ends the transfer; a job is not started until all its
 * files are sent.
 */
export function showMoves(deps: MoveDeps): Disposable {
  const store = new DisposableStore();
  const known = new Map<string, Disposable>();
  store.add(
    toDisposable(() => {
      known.forEach((timer) => {
        timer.dispose();
      });
    }),
  );
  store.add(
    deps.jobs.moves.onDidChange((jobId) => {
      if (!deps.jobs.moves.find(jobId)) {
        known.get(jobId)?.dispose();
        known.delete(jobId);
      } else if (!known.has(jobId)) {
        known.set(
          jobId,
          deps.clock.schedule(() => {
            const row = deps.jobs.find(jobId);
            const move = deps.jobs.moves.find(jobId);
            if (row && move && deps.windowInUse.isFocused) {
              void showMove(deps, row, move);
            }
          }, soonMs),
        );
      }
    }),
  );
  return store;
}

/** Shows progress until the transfer in this direction settles. Never rejects. */
function showMove({ jobs, report }: MoveDeps, row: JobRow, { way }: JobMove): Promise<void> {
  const { job } = row;
  const title =
    way === 'sending'
      ? t('Sending the files of {0} to {1}', job.spec.name, machineOf(row).name)
      : t('Fetching the outputs of {0} from {1}', job.spec.name, machineOf(row).name);
  return withCancellableProgress(
    title,
    (signal, showProgress) =>
      new Promise((resolve) => {
        const show = () => {
          const move = jobs.moves.find(job.id);
          if (move?.way === way) {
            showProgress(localize(amountText(move.bytes, move.totalBytes)));
          } else {
            following.dispose();
            resolve();
          }
        };
        const following = jobs.moves.onDidChange((jobId) => {
          if (jobId === job.id) {
            show();
          }
        });
        signal.addEventListener('abort', () => {
          following.dispose();
          resolve();
          const recorded = way === 'sending' ? jobs.stop(job.id) : jobs.pauseFetch(job.id);
          recorded.catch((error: unknown) => {
            report.error(error);
          });
        });
        show();
      }),
  );
}
