import { text, type Text } from '../../util/text';
import type { JobFields } from './jobFields';

/** A job whose copies ask a server for their work, so that nothing has to reach the machines. */
export interface WorkerJob {
  readonly label: string;
  readonly use: Text;
  readonly name: string;
  readonly job: JobFields;
}

/** Two workers, on one instance each; `WORKER` is the number of each. */
const onTwo = {
  outputs: [],
  matrix: { WORKER: [1, 2] },
  maxParallel: 2,
  limits: { hours: 6, costDollars: 5 },
} satisfies JobFields;

/** Jobs that _Create Workspace File…_ offers (docs/tools.md#workers). */
export const workerJobs: readonly WorkerJob[] = [
  {
    label: 'W&B Agents',
    use: text('Runs of a sweep, as the W&B server hands them out'),
    name: 'wandb agent',
    job: {
      setup: 'command -v wandb >/dev/null || python3 -m pip install wandb',
      run: 'wandb agent "$SWEEP"',
      env: { SWEEP: 'entity/project/sweep' },
      secrets: ['WANDB_API_KEY'],
      ...onTwo,
    },
  },
  {
    label: 'HyperQueue Workers',
    use: text('Tasks of a HyperQueue server that the instances can reach'),
    name: 'hq worker',
    job: { run: './hq worker start --server-dir ./hq-server', ...onTwo },
  },
  {
    label: 'Optuna Workers',
    use: text('Trials of a study that is kept in a database'),
    name: 'optuna worker',
    job: {
      setup: 'python3 -c "import optuna" 2>/dev/null || python3 -m pip install optuna',
      run: 'python3 optimize.py',
      secrets: ['OPTUNA_STORAGE'],
      ...onTwo,
    },
  },
];
