import * as z from 'zod';
import { machineChoices, machineNameShape } from '../../model/workspace/workspaceFile';

export const jobNameShape = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}$/;
/** Returns a text in the form of a job's name. */
export function jobNameOf(wanted: string, otherwise: string): string {
  const name = wanted.replace(/[^A-Za-z0-9 ._-]/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  const short = name.slice(0, 40);
  return jobNameShape.test(short) ? short : otherwise;
}

export const mostJobs = 50;
/** The most hours that a job may run. */
export const mostJobHours = 720;
/** The most bytes of a script. */
export const longestScript = 64 * 1024;

const script = (description: string, examples: readonly unknown[]) =>
  z
    .union([z.string(), z.array(z.string())])
    .optional()
    .meta({ description, examples: [...examples] });

const patterns = (description: string, more: z.GlobalMeta = {}) =>
  z
    .array(z.string())
    .optional()
    .meta({ description, ...more });

const machineEnd = z.enum(['keep', 'stop', 'destroy']);

const limitFields = z.object({
  hours: z.number().positive().max(mostJobHours).optional().meta({
    description: 'Hours after which the command is ended, counted from its start. Required.',
  }),
  costDollars: z
    .number()
    .positive()
    .optional()
    .meta({ description: 'Dollars that the job may cost at most. Required.' }),
  setupMinutes: z.number().positive().max(1440).optional().meta({
    description: 'Minutes that the set-up may take. Default: 30.',
    default: 30,
  }),
  idleMinutes: z
    .union([z.number().min(5).max(43_200), z.literal(false)])
    .optional()
    .meta({
      description:
        'Minutes without work after which you are told: each GPU under 5 % and nothing new in the log. `whenDone.idle` says whether the job ends then. Default: `false`, which never looks.',
      default: false,
      examples: [30],
    }),
  graceSeconds: z.number().int().min(0).max(600).optional().meta({
    description: 'Seconds between SIGTERM and SIGKILL when the job is ended early. Default: 120.',
    default: 120,
  }),
});

const limits = limitFields.optional().meta({
  description: 'Where the job ends at the latest. Required.',
  examples: [{ hours: 6, costDollars: 5 }],
});

const endFields = z.object({
  success: machineEnd.optional().meta({ description: 'After exit code 0.' }),
  failure: machineEnd.optional().meta({ description: 'After any other exit code.' }),
  limit: machineEnd.optional().meta({ description: 'After a limit was reached.' }),
  idle: z.enum(['tell', 'keep', 'stop', 'destroy']).optional().meta({
    description:
      'After `limits.idleMinutes` without work: `tell` shows a message and lets the job run; the others end it. Default: `tell`.',
    default: 'tell',
  }),
  keepMinutes: z.number().min(0).max(1440).optional().meta({
    description: 'Minutes in which you can still keep the machine. Default: 0.',
    default: 0,
  }),
});

const whenDone = endFields.optional().meta({
  description:
    'What happens to the machine once the outputs are on this computer. You confirm it when you run the job. Default: keep it. One that is rented for the job is destroyed after success, and otherwise stopped.',
  examples: [{ success: 'destroy', failure: 'stop' }],
});

const syncFields = z.object({
  include: patterns('Files to send although a rule leaves them out, in the syntax of `.gitignore`.'),
  exclude: patterns('Files to leave out, in the syntax of `.gitignore`.'),
  git: z.boolean().optional().meta({ description: 'Sends the `.git` folder as well.', default: false }),
  maxMb: z.number().positive().optional().meta({
    description: 'Megabytes above which you are asked first. Default: 200.',
    default: 200,
  }),
  maxFiles: z.number().int().positive().optional().meta({
    description: 'Files above which you are asked first. Default: 5000.',
    default: 5000,
  }),
});

const sync = z
  .union([z.literal(false), syncFields])
  .optional()
  .meta({ description: 'What is sent of the workspace; `false` sends nothing.' });

const retryFields = z.object({
  interrupted: z.number().int().min(0).max(20).optional().meta({
    description:
      'How often it runs again after the machine was restarted or outbid while it ran. Default: 0.',
    default: 0,
  }),
  machineLost: z.number().int().min(0).max(20).optional().meta({
    description:
      'How often another machine is rented after the one that was rented for the job is lost. Default: 0.',
    default: 0,
  }),
  exitCodes: z
    .record(z.string().regex(/^\d{1,3}$/), z.number().int().min(0).max(20))
    .optional()
    .meta({ description: 'How often it runs again after an exit code.', examples: [{ '75': 2 }] }),
});

/** One job of `.vscode/gpu-rental.json`. `jobDiagnostics.ts` checks what is required, because it offers fixes. */
export const jobFields = z
  .object({
    run: script('The script to run, or its lines. Required.', ['python -u train.py --out outputs']),
    setup: script('A script that runs before it, once for each machine while it stays the same.', [
      'pip install -r requirements.txt',
    ]),
    setupInputs: patterns(
      'Files whose change makes the set-up run again, in the syntax of `.gitignore`. Default: what its script names, `requirements*.txt`, `pyproject.toml`, `uv.lock`, `poetry.lock` and `environment.yml`.',
      { examples: [['requirements.txt', 'conda/*.yml']] },
    ),
    workdir: z
      .string()
      .optional()
      .meta({ description: 'Folder of the workspace that is sent and in which the job runs.', default: '.' }),
    sync,
    env: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: 'Environment variables. Their values are visible in the file.' }),
    secrets: z
      .array(z.string())
      .optional()
      .meta({
        description:
          'Names of environment variables whose values are asked for once, for this job of this folder, and kept in the secret store.',
        examples: [['HF_TOKEN']],
      }),
    outputs: patterns(
      'Files to fetch, as patterns inside the folder of the job or with an absolute path on the machine; `[]` for none.',
      {
        default: ['outputs/**'],
        examples: [['outputs/**'], ['/workspace/results/**']],
      },
    ),
    checkpoints: patterns(
      'Outputs that are fetched while the job runs. Another machine gets the last ones, below `GPU_RENTAL_RESUME`.',
      { examples: [['outputs/last.ckpt']] },
    ),
    fetchMinutes: z.number().min(1).max(1440).optional().meta({
      description: 'Minutes between two fetches of the checkpoints. Default: 10.',
      default: 10,
    }),
    outputsTo: z.string().optional().meta({
      description: 'Folder of the workspace for what is brought back. Default: `gpu-outputs/<job>/<start>`.',
    }),
    machine: z
      .union([z.enum(machineChoices), z.string().regex(machineNameShape)])
      .optional()
      .meta({
        description:
          'The machine: `new` rents one for the job, `running` takes one of this recipe, `ask` lets you choose, and a name of `machines` takes or rents that one. Default: `ask`.',
        default: 'ask',
        examples: [...machineChoices],
      }),
    limits,
    whenDone,
    retries: retryFields.optional().meta({
      description:
        'How often the job runs again, on its machine or on the next one of the same search. The dollars of `limits` are for all attempts together.',
      examples: [{ interrupted: 3, machineLost: 1 }],
    }),
    matrix: z
      .record(z.string(), z.array(z.union([z.string(), z.number(), z.boolean()])).min(1))
      .optional()
      .meta({
        description:
          'Values by the name of an environment variable. Each combination is a job of its own; the dollars of `limits` are shared equally.',
        examples: [{ LR: [0.1, 0.01], SEED: [1, 2, 3] }],
      }),
    maxParallel: z.number().int().min(1).max(64).optional().meta({
      description: 'Machines that work for the matrix at the same time, at most. Default: 1.',
      default: 1,
    }),
  })
  .meta({ description: 'A command that runs to its end on a rented machine.' });

/** The names of the fields inside of these fields of a job. */
export const innerFields: Readonly<Record<string, readonly string[]>> = {
  limits: Object.keys(limitFields.shape),
  whenDone: Object.keys(endFields.shape),
  sync: Object.keys(syncFields.shape),
  retries: Object.keys(retryFields.shape),
};

export type JobFields = z.infer<typeof jobFields>;

/** The jobs of a workspace file, by name. */
export const jobSection = z
  .record(z.string(), jobFields)
  .optional()
  .meta({
    description: 'Commands that run to their end on a machine; their outputs are brought back.',
    defaultSnippets: [
      {
        label: 'A job',
        body: {
          '${1:train}': {
            run: '${2:python -u train.py}',
            outputs: ['${3:outputs/**}'],
            limits: { hours: '^${4:6}', costDollars: '^${5:5}' },
          },
        },
      },
    ],
  });
