import { Readable } from 'node:stream';
import type { MachineCall } from '../../src/jobs/machine/machineCall';
import type { HostEntry } from '../../src/ssh/hostConfig';
import type { RunOptions, RunResult } from '../../src/ssh/run';
import { FakeClock } from './fakeClock';
import { only } from './only';

const goodEnd: RunResult = { code: 0, stdout: '', stderr: '', timedOut: false };

/** A machine that gives the same answer to each script, and what it was asked. */
export function printingMachine(answer: string, end: Partial<RunResult> = {}) {
  const asked: { readonly script: string; readonly timeoutMs: number | undefined }[] = [];
  const exec = async (_alias: string, script: string, options: RunOptions = {}): Promise<RunResult> => {
    asked.push({ script, timeoutMs: options.timeoutMs });
    await options.output?.(Readable.from([Buffer.from(answer)]));
    return { ...goodEnd, stdout: answer, ...end };
  };
  const entry = () => Promise.resolve(only<HostEntry>({}));
  const ssh = { exec, entry };
  const call: MachineCall = { ssh, alias: 'gpu-7', clock: new FakeClock(), platform: 'linux' };
  return { asked, ssh, call };
}
