import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJobMachine } from '../../../src/jobs/machine/createJobMachine';
import { listOutputs } from '../../../src/jobs/machine/jobOutputs';
import { syncJob } from '../../../src/jobs/machine/jobSync';
import { listJobs } from '../../../src/jobs/machine/otherJobs';
import { readKernelUse } from '../../../src/notebooks/machine/kernelUse';
import { installServer, startServer } from '../../../src/notebooks/machine/notebookServer';
import {
  armTimer,
  checkTimer,
  disarmTimer,
  type TimerOrder,
} from '../../../src/schedules/machine/machineTimer';
import { EffectiveConfig } from '../../../src/ssh/effectiveConfig';
import { nodeFileSystem } from '../../../src/ssh/fileSystem';
import { probeGpus } from '../../../src/ssh/gpuProbe';
import { inspectClient } from '../../../src/ssh/inspect';
import { isAgentRunning, keysOfAgent } from '../../../src/ssh/keyAgent';
import { generateKey, type KeyDeps } from '../../../src/ssh/localKeys';
import { readFolders } from '../../../src/ssh/remoteFolders';
import type { Run } from '../../../src/ssh/run';
import { sendFile } from '../../../src/ssh/runFile';
import { findSentFiles } from '../../../src/ssh/sentFiles';
import { FakeClock } from '../../support/fakeClock';
import { jobOrder } from '../../support/jobScene';
import { openedFolder } from '../../support/openedFolder';
import { printingMachine } from '../../support/printingMachine';

const minute = 60;
const timerOrder: TimerOrder = {
  serviceUrl: 'https://console.vast.ai',
  instanceId: 7,
  action: 'stop',
  seconds: 60,
  token: 'ab',
  mode: 'at',
};
const noFiles = { root: openedFolder('/workspace'), names: [] };
const sent = { workdir: '.', sync: { include: [], exclude: [], git: false, maxMb: 200, maxFiles: 5000 } };

describe('A machine that does not answer', () => {
  for (const [what, seconds, ask] of [
    ['a file is sent', 2 * minute, ({ ssh }) => sendFile(ssh, 'gpu-7', { name: 'a.py', content: '' })],
    ['its folders are read', 15, ({ ssh }) => readFolders(ssh, 'gpu-7')],
    ['its GPUs are read', 40, ({ ssh }) => probeGpus(ssh, 'gpu-7', { clock: new FakeClock() })],
    ['its kernels are read', 45, ({ ssh }) => readKernelUse(ssh, 'gpu-7')],
    ['its timer is started', 90, ({ ssh }) => armTimer(ssh, 'gpu-7', timerOrder)],
    ['its timer is read', 90, ({ ssh }) => checkTimer(ssh, 'gpu-7', timerOrder)],
    ['its timer is ended', 90, ({ ssh }) => disarmTimer(ssh, 'gpu-7', 7)],
    ['notebooks are started', 3 * minute, ({ ssh }) => startServer(ssh, 'gpu-7', '/root')],
    ['Jupyter is installed', 20 * minute, ({ ssh }) => installServer(ssh, 'gpu-7', () => undefined)],
    ['its jobs are listed', 20, ({ call }) => listJobs(call, undefined)],
    ['a job is cancelled', 2 * minute, ({ call }) => createJobMachine(call).cancel('ab')],
    ['outputs are hashed', 60 * minute, ({ call }) => listOutputs(call, 'ab', ['*'], undefined)],
    ['files are copied', 20 * minute, ({ call }) => syncJob(call, jobOrder('true'), noFiles, {})],
  ] as readonly [string, number, (machine: ReturnType<typeof printingMachine>) => Promise<unknown>][]) {
    it(`is given up after ${seconds} seconds while ${what}`, async () => {
      const machine = printingMachine('', { code: 255 });
      await ask(machine).catch(() => undefined);
      // A timer that gave no answer is looked for once, because it may run.
      const times = what === 'its timer is started' ? 2 : 1;
      assert.deepEqual(
        machine.asked.map(({ timeoutMs }) => timeoutMs),
        Array.from({ length: times }, () => seconds * 1000),
      );
    });
  }
});

describe('A program of this computer that does not end', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'gpu-limits-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const fs = nodeFileSystem;
  const keyDeps = (run: Run): KeyDeps => ({
    ...{ run, fs, sshDir: dir, agentSocket: undefined, platform: 'linux', accountHome: dir, ownDir: dir },
    derived: new Map(),
    ask: () => Promise.reject(new Error('nothing is asked')),
  });
  const config = (run: Run) => new EffectiveConfig({ run, fs, clock: new FakeClock() });
  for (const [what, limits, start] of [
    ['the agent is looked for', { 'ssh-add -l': 5 }, (run) => isAgentRunning(run, 'environment')],
    ['the agent lists its keys', { 'ssh-add -L': 5 }, (run) => keysOfAgent(run, 'environment')],
    ['the client is inspected', { 'ssh -V': 10, 'ssh-keygen -?': 10 }, (run) => inspectClient(run, 'ssh')],
    [
      'the config is read',
      { 'ssh -vvv': 20 },
      (run) => config(run).ask(['ssh'], 'gpu-7', { ownDir: dir, userConfig: join(dir, 'config') }),
    ],
    ['a key is made', { 'ssh-keygen -q': 30 }, (run) => generateKey(keyDeps(run), 'gpu', 'me')],
    ['git lists files', { 'git -C': 60 }, (run) => findSentFiles({ run, home: '/nowhere' }, dir, sent, [])],
  ] as readonly [string, Readonly<Record<string, number>>, (run: Run) => Promise<unknown>][]) {
    it(`is ended in time while ${what}`, async () => {
      const given: Record<string, number> = {};
      const run: Run = (program, [first = ''], { timeoutMs = 0 } = {}) => {
        given[`${program} ${first}`] = timeoutMs / 1000;
        return Promise.resolve({ code: 1, stdout: '', stderr: '', timedOut: true });
      };
      await start(run).catch(() => undefined);
      assert.deepEqual(given, limits);
    });
  }
});
