import processes from '../../schedules/machine/timer/process.sh';
import tick from '../../schedules/machine/timer/tick.sh';
import alone from '../../ssh/alone.sh';
import containerVariables from '../../ssh/containerVariables.sh';
import lock from '../../ssh/lock.sh';
import { assembled } from '../../ssh/shellProgram';
import atWork from './shell/atWork.sh';
import check from './shell/check.sh';
import container from './shell/container.sh';
import copy from './shell/copy.sh';
import job from './shell/job.sh';
import mirror from './shell/mirror.sh';
import others from './shell/others.sh';
import outputs from './shell/outputs.sh';
import runner from './shell/runner.sh';
import start from './shell/start.sh';
import waited from './shell/waited.sh';

const parts = {
  'alone.sh': alone,
  'lock.sh': lock,
  'atWork.sh': atWork,
  'container.sh': container,
  'containerVariables.sh': containerVariables,
  'process.sh': processes,
  'tick.sh': tick,
  'waited.sh': waited,
};

/**
 * The programs that run on the machine: `runner`, `job` and `outputs` are in the folder of a job, the others are sent
 * with a login.
 */
export const jobPrograms = {
  runner: assembled(runner, parts),
  job: assembled(job, parts),
  outputs,
  processes,
  start: assembled(start, parts),
  copy: assembled(copy, parts),
  mirror: assembled(mirror, parts),
  check: assembled(check, parts),
  others: assembled(others, parts),
} as const;

/** The programs of the machine that these need, apart from those that every shell has. */
export const neededPrograms = [
  'awk',
  'cat',
  'chmod',
  'cp',
  'date',
  'df',
  'find',
  'grep',
  'head',
  'mkdir',
  'mv',
  'rm',
  'rmdir',
  'sed',
  'sleep',
  'stat',
  'tail',
  'tar',
  'tr',
  'wc',
  'xargs',
] as const;
