import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createJobMachine } from '../../src/ssh/jobs/createJobMachine';
import type { JobLook, JobMachine, JobOrder } from '../../src/ssh/jobs/jobMachine';
import type { MachineCall } from '../../src/ssh/jobs/machineCall';
import { listedTree } from '../../src/ssh/fileTree';
import type { SshService } from '../../src/ssh/service';
import { systemClock } from '../../src/util/clock';
import { SshHome } from './sshHome';
import { sshAccount, sshInstance } from './sshInstance';
import { SshMachine } from './sshMachine';
import { until } from './until';

/** A machine with a home folder of its own, and a workspace here. */
export interface JobScene {
  readonly ssh: SshService;
  readonly machine: SshMachine;
  /** `$HOME` on the machine, which is this computer. */
  readonly remote: string;
  readonly workspace: string;
  /** Where outputs go. */
  readonly results: string;
  readonly job: JobMachine;
  readonly with: (more: Partial<MachineCall>) => JobMachine;
  /** Begins, sends the workspace, and starts. */
  readonly run: (order: JobOrder) => Promise<void>;
  readonly ended: (id: string) => Promise<JobLook>;
  /** A file of a job's folder on the machine. */
  readonly file: (id: string, name: string) => string;
}

export const jobId = 'a0b1c2d3';

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

/** A scene for each test: `scene()` is the one of the running test. What runs of its jobs is ended after it. */
export function useJobs(): () => JobScene {
  let scene: JobScene | undefined;
  let home: SshHome | undefined;

  beforeEach(async () => {
    home = new SshHome();
    const remote = join(home.root, "machine's home");
    const workspace = join(home.root, 'workspace');
    const results = join(home.root, 'results');
    [remote, workspace, results].forEach((folder) => mkdirSync(folder));
    const machine = await new SshMachine().start({ extra: [`SetEnv "HOME=${remote}"`] });
    const key = home.key();
    machine.authorize(key);
    const ssh = home.service();
    const instance = sshInstance(machine.port);
    await ssh.prepare({ account: sshAccount, instanceId: 7, instance, registeredKeys: [key] });
    const call: MachineCall = { ssh, alias: 'gpu-7', clock: systemClock, platform: process.platform };
    const job = createJobMachine(call);
    const file = (id: string, name: string) => join(remote, '.gpu-rental', 'jobs', id, name);
    scene = {
      ssh,
      machine,
      remote,
      workspace,
      results,
      job,
      with: (more) => createJobMachine({ ...call, ...more }),
      run: async (order) => {
        await job.begin(order);
        await job.sync(order, await listedTree(workspace, filesBelow(workspace)));
        await job.start(order);
      },
      ended: (id) =>
        until(`the end of job ${id}`, async () => {
          const look = await job.look(id, 0, 65_536);
          return look.end && look.hasOutputsList && !look.pidAlive ? look : undefined;
        }),
      file,
    };
  });

  afterEach(async () => {
    const jobs = scene ? join(scene.remote, '.gpu-rental', 'jobs') : '';
    for (const id of existsSync(jobs) ? readdirSync(jobs) : []) {
      await scene?.job.cancel(id);
      await until('the end of the job', () => processesOf(id).length === 0);
    }
    await scene?.machine.dispose();
    home?.dispose();
    scene = undefined;
  });

  return () => {
    assert.ok(scene, 'the scene is there in tests');
    return scene;
  };
}
