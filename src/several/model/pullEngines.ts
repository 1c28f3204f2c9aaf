import { text, type Text } from '../../util/text';

export type PullEngineId = 'wandb' | 'hyperqueue' | 'optuna';

/** A tool whose workers ask for their work themselves, so that nothing has to reach the machine. */
export interface PullEngine {
  readonly id: PullEngineId;
  readonly name: string;
  readonly jobName: string;
  readonly use: Text;
  /** The prompt before a worker starts. */
  readonly prompt: Text;
  readonly command: string;
  /** Makes the program available where the image lacks it. */
  readonly setup?: string;
  /** Names of secrets that workers get as environment variables. */
  readonly secrets: readonly string[];
}

/** Engines whose workers run as jobs, one on each instance (docs/engines.md#workers). */
export const pullEngines: readonly PullEngine[] = [
  {
    id: 'wandb',
    name: 'W&B Agent',
    jobName: 'wandb agent',
    use: text('Runs of a sweep, as the W&B server hands them out'),
    prompt: text('The command of a worker. The page of the sweep shows entity, project and ID.'),
    command: 'wandb agent <entity>/<project>/<sweep>',
    setup: 'command -v wandb >/dev/null || python3 -m pip install wandb',
    secrets: ['WANDB_API_KEY'],
  },
  {
    id: 'hyperqueue',
    name: 'HyperQueue Worker',
    jobName: 'hq worker',
    use: text('Tasks of a HyperQueue server that the instances can reach'),
    prompt: text('The command of a worker. Program and server folder are sent with the workspace.'),
    command: './hq worker start --server-dir ./hq-server',
    secrets: [],
  },
  {
    id: 'optuna',
    name: 'Optuna Worker',
    jobName: 'optuna worker',
    use: text('Trials of a study that is kept in a database'),
    prompt: text('The command of a worker. The address of the database is in OPTUNA_STORAGE.'),
    command: 'python3 optimize.py',
    setup: 'python3 -c "import optuna" 2>/dev/null || python3 -m pip install optuna',
    secrets: ['OPTUNA_STORAGE'],
  },
];
