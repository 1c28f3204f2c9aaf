import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { PacedClock } from '../../../src/util/clock';
import { bundled } from '../bundled';
import { rentRunning } from '../rentRunning';
import { Computer } from './computer';
import { JobJudge, type JobRows } from './jobJudge';
import { wayOf } from './jobPlaces';
import type { JobProcessOrder } from './jobProcess';
import { ParkedJudge } from './parkedJudge';
import { evenPrices, haveKey } from './rentDriver';

const pace = 10;

export interface KillResult {
  readonly violations: readonly string[];
  readonly rentals: number;
}

interface KillJudge {
  readonly violations: readonly string[];
  readonly rentals: number;
  report(what: string): void;
  check(rows: JobRows): void;
}

/** Ends a process by SIGKILL at a place of a job's life; another one carries on. */
export function killAt(place: string): Promise<KillResult> {
  return killLife(place, (computer) => {
    const ends = { success: 'destroy', failure: 'stop', limit: 'stop' };
    const startsFile = path.join(computer.root, 'starts');
    const job = { name: 'train', startsFile, payload: randomBytes(60_000), epochs: 3, code: 0, ends };
    const order = { job: { ...job, payload: job.payload.toString('base64') } };
    return Promise.resolve({ judge: new JobJudge(computer, job), order });
  });
}

/** The same at a place of a folder's way to another instance. */
export function killParkedAt(named: string): Promise<KillResult> {
  const { way, place } = wayOf(named);
  return killLife(place, async (computer) => {
    const trainer = await rentRunning(computer.simulator, { label: 'trainer', runtype: 'ssh_direct' });
    const judge = ParkedJudge.begin(computer, trainer, way, 40_000_000);
    return { judge, order: { parked: { folder: judge.folder, way } } };
  });
}

/**
 * Has a process begin a life and end by SIGKILL at a place of it, and another one carry on from the same storage. The
 * marketplace and its machines live in this process.
 */
async function killLife(
  place: string,
  begin: (
    computer: Computer,
  ) => Promise<{ readonly judge: KillJudge; readonly order: Pick<JobProcessOrder, 'job' | 'parked'> }>,
): Promise<KillResult> {
  const sinceMs = Date.now();
  const computer = await Computer.start({
    simulator: { sshServer: true, credit: 10_000, speed: 10, clock: new PacedClock(pace, sinceMs) },
  });
  try {
    await haveKey(computer);
    await evenPrices(computer);
    const { judge, order: life } = await begin(computer);
    const { root, simulator } = computer;
    const { url, apiKey } = simulator;
    const order = { root, url, apiKey, pace, sinceMs, ...life };
    const killed = await run({ ...order, place });
    if (killed.signal !== 'SIGKILL') {
      judge.report(`nothing came to ${place}: ${killed.output}`);
    }
    const next = await run(order);
    if (next.code !== 0) {
      judge.report(`the next process ended with ${next.code}: ${next.output}`);
    } else {
      judge.check(JSON.parse(next.output) as JobRows);
    }
    return { violations: judge.violations, rentals: judge.rentals };
  } finally {
    await computer.close();
  }
}

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly output: string;
}

function run(order: JobProcessOrder): Promise<Ended> {
  const script = bundled(path.join(__dirname, 'jobProcess.ts'));
  const child = spawn(process.execPath, [script, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      output += piece;
    });
  }
  // A run that hangs ends this process, and would leave it behind.
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      process.off('exit', end);
      resolve({ code, signal, output });
    });
  });
}
