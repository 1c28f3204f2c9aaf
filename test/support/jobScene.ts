import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJobMachine } from '../../src/jobs/machine/createJobMachine';
import type { MachineCall } from '../../src/jobs/machine/machineCall';
import type { JobMachine, SentTree } from '../../src/jobs/model/jobMachine';
import type { JobCheck, JobOrder } from '../../src/jobs/model/onMachine';
import { runProgram } from '../../src/ssh/run';
import { systemClock } from '../../src/util/clock';
import { CuttingProxy } from './cuttingProxy';
import { openedFolder } from './openedFolder';
import { SshHome } from './sshHome';
import { sshAccount, sshInstance } from './sshInstance';
import { SshMachine } from './sshMachine';
import { until } from './until';

/** A machine with a home folder of its own, and a workspace here. */
export interface JobScene {
  /** `$HOME` on the machine, which is this computer. */
  readonly remote: string;
  readonly workspace: string;
  /** Where outputs go. */
  readonly results: string;
  readonly job: JobMachine;
  readonly with: (more: Partial<MachineCall>) => JobMachine;
  /** Begins, sends the workspace, and starts. */
  readonly run: (order: JobOrder) => Promise<void>;
  readonly ended: (id: string) => Promise<JobCheck>;
  /** A file of a job's folder on the machine. */
  readonly file: (id: string, name: string) => string;
}

/** Of this process, since what a job leaves behind is found by its id. */
export const jobId = `a0${process.pid.toString(16)}`;

export function jobOrder(run: string, more: Partial<JobOrder> = {}): JobOrder {
  return {
    id: jobId,
    name: 'train',
    attempt: 1,
    workspaceKey: 'fe01',
    run,
    setupSeconds: 60,
    limitSeconds: 60,
    graceSeconds: 2,
    env: {},
    secrets: {},
    after: [],
    outputs: ['outputs/**'],
    ...more,
  };
}

/** All files below a folder, with forward slashes. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

/** The files of a folder, as a job sends them. */
export function sentFrom(folder: string, names = filesBelow(folder)): SentTree {
  return { root: openedFolder(folder), names };
}

/** Processes that belong to a job, by the mark in their environment. */
export function processesOf(id: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`GPU_RENTAL_JOB_MARK=${id}.`);
      } catch {
        return false;
      }
    })
    .map(Number);
}

function sceneIn(root: string, ssh: (remote: string) => MachineCall['ssh']): JobScene {
  const remote = join(root, "machine's home");
  const workspace = join(root, 'workspace');
  const results = join(root, 'results');
  [remote, workspace, results].forEach((folder) => mkdirSync(folder));
  const call: MachineCall = {
    ssh: ssh(remote),
    alias: 'gpu-7',
    clock: systemClock,
    platform: process.platform,
  };
  const job = createJobMachine(call);
  return {
    remote,
    workspace,
    results,
    job,
    with: (more) => createJobMachine({ ...call, ...more }),
    run: async (order) => {
      await job.begin(order);
      await job.sync(order, sentFrom(workspace));
      await job.start(order);
    },
    ended: (id) =>
      until(
        `the end of job ${id}`,
        async () => {
          const check = await job.check(id, 0, 65_536);
          return check.end && check.hasOutputsList && !check.pidAlive ? check : undefined;
        },
        { timeoutMs: 60_000 },
      ),
    file: (id, name) => join(remote, '.gpu-rental', 'jobs', id, name),
  };
}

/** Ends what still runs. */
async function endJobs({ remote, job }: JobScene): Promise<void> {
  const ours = join(remote, '.gpu-rental');
  const jobs = join(ours, 'jobs');
  for (const id of existsSync(jobs) ? readdirSync(jobs) : []) {
    await job.cancel(id);
    await until('the end of the job', () => processesOf(id).length === 0, { timeoutMs: 60_000 });
    await until('the end of its runner', async () => !(await job.check(id, 0, 0)).pidAlive);
  }
  // What watches over a job would end one with the same id, which the next test runs, and what makes the spare copy of
  // a workspace writes until it is whole.
  await until('the end of what works for them', () => !worksBelow(ours), { timeoutMs: 60_000 });
}

function worksBelow(folder: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`).startsWith(`${folder}/`);
    } catch {
      return false;
    }
  });
}

/** A scene for each test whose machine is a shell of this computer: `scene()` is the one of the running test. */
export function useJobs(): () => JobScene {
  let scene: JobScene | undefined;
  let root = '';
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'gr-job-')));
    scene = sceneIn(root, (remote) => shellMachine(remote));
  });
  afterEach(async () => {
    if (scene) {
      await endJobs(scene);
    }
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    scene = undefined;
  });
  return () => {
    assert.ok(scene, 'the scene is there in tests');
    return scene;
  };
}

/** Runs what would go over SSH in a shell here. */
export function shellMachine(home: string, env: Readonly<Record<string, string>> = {}): MachineCall['ssh'] {
  return {
    exec: (_, script, options = {}) =>
      runProgram('/bin/sh', ['-c', script], {
        ...options,
        cwd: home,
        env: { HOME: home, SHELL: '/bin/sh', ...env },
      }),
  };
}

export interface SshJobScene extends JobScene {
  readonly machine: SshMachine;
  readonly home: SshHome;
  /** What all logins go through. */
  readonly proxy: CuttingProxy;
  readonly ssh: MachineCall['ssh'];
}

/** The proxy costs time in this process; a measurement goes without. */
export async function openSshJobs(isCut = true): Promise<SshJobScene> {
  const home = new SshHome();
  const machine = new SshMachine();
  const key = home.key();
  machine.authorize(key);
  const ssh = home.service();
  const proxy = await new CuttingProxy(() => machine.port).start();
  const scene = { ...sceneIn(home.root, () => ssh), machine, home, proxy, ssh };
  await machine.start({ env: { HOME: scene.remote } });
  const instance = sshInstance(isCut ? proxy.port : machine.port);
  await ssh.prepare({ account: sshAccount, instanceId: 7, instance, registeredKeys: [key] });
  return scene;
}

export async function closeSshJobs(scene: SshJobScene): Promise<void> {
  scene.proxy.spare();
  await endJobs(scene);
  scene.proxy.dispose();
  await scene.machine.dispose();
  scene.home.dispose();
}

/** The same with a real server, whose login has a home folder of its own. */
export function useSshJobs(): () => SshJobScene {
  let scene: SshJobScene | undefined;

  beforeEach(async () => {
    scene = await openSshJobs();
  });

  afterEach(async () => {
    if (scene) {
      await closeSshJobs(scene);
    }
    scene = undefined;
  });

  return () => {
    assert.ok(scene, 'the scene is there in tests');
    return scene;
  };
}
