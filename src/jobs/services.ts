import { randomBytes } from 'node:crypto';
import { secretFor } from '../model/accounts/keptSecret';
import { armTimer, disarmTimer } from '../schedules/machine/machineTimer';
import type { ScheduleServices } from '../schedules/services';
import type { Services as CoreServices } from '../services';
import { servedInstance } from '../ssh/hostDownload';
import { commitOf } from '../ssh/localGit';
import { runProgram } from '../ssh/run';
import type { SshService } from '../ssh/service';
import { accountPath } from '../store/accounts/accountFiles';
import type { Account } from '../store/accounts/accounts';
import { roomBeside } from '../store/instances/burn';
import { replaceInstance } from '../store/rentals/replacement';
import type { Clock } from '../util/clock';
import type { Own } from '../wing';
import { createJobMachine } from './machine/createJobMachine';
import { filesOfJob } from './machine/filesOfJob';
import { missingFiles } from './machine/missingFiles';
import { setupKey } from './machine/setupKey';
import { createStoppedMachine } from './machine/stoppedMachine';
import { fetchSeconds } from './model/jobLimits';
import type { JobMachine, StoppedMachine } from './model/jobMachine';
import { JobFiles } from './store/jobFiles';
import { JobRunner } from './store/jobRunner';
import type { JobGuard, JobStepDeps } from './store/jobStep';
import { Jobs } from './store/jobs';
import { secretPlaceOf } from './store/secretUses';

type Deps = Pick<
  CoreServices,
  | 'accounts'
  | 'budget'
  | 'clock'
  | 'failedMachines'
  | 'fleet'
  | 'hub'
  | 'log'
  | 'machineChecks'
  | 'notices'
  | 'keptSecrets'
  | 'rentals'
  | 'settings'
  | 'ssh'
  | 'storageDir'
  | 'volumes'
  | 'work'
>;

export type JobServices = ReturnType<typeof jobServices>;
/** What the features of this wing know. */
export type Services = CoreServices & ScheduleServices & JobServices;

/** Makes the jobs, which run over SSH. */
export function jobServices(
  {
    ssh,
    storageDir,
    machineChecks,
    keptSecrets,
    volumes,
    budget,
    failedMachines,
    settings,
    work,
    ...shared
  }: Deps,
  own: Own,
) {
  const jobMachine = (account: Account, instanceId: number): JobMachine =>
    createJobMachine({
      ssh,
      clock: shared.clock,
      platform: process.platform,
      alias: ssh.aliasOf(account, instanceId),
    });
  const now = () => shared.clock.now();
  const storage = (accountKey: string) =>
    new JobFiles(accountPath(storageDir, accountKey, 'jobs'), shared.log, now);
  const jobs = own(new Jobs({ ...shared, storage }));
  const read: JobStepDeps['secrets'] = async (accountKey, job) => {
    const { useOf } = await secretPlaceOf(job);
    const kept = await keptSecrets.all(accountKey);
    const given = job.spec.secrets.flatMap((name) => {
      const secret = secretFor(kept, useOf(name));
      return secret ? [[name, secret.value] as const] : [];
    });
    return Object.fromEntries(given);
  };
  const replaceMachine = (instanceId: number, signal: AbortSignal) =>
    replaceInstance({ ...shared, budget, failedMachines }, instanceId, {
      signal,
      // The user accepted this with the retries of the job.
      dataLossAccepted: true,
      ...roomBeside({ ...shared, volumes }, settings.get('gpuRental.rent.limitPerHour'), instanceId),
    });
  own(
    new JobRunner({
      ...shared,
      firstContact: machineChecks.contact,
      guard: guardOver(ssh),
      isSaving: async (accountKey, instanceId, loss) => {
        await work.whole();
        return work.isSaving(accountKey, instanceId, loss);
      },
      jobs,
      machine: jobMachine,
      replaceMachine,
      stoppedMachine: stoppedMachines(ssh, shared.clock),
      secrets: read,
    }),
  );
  /** Reads what a job of a folder is made of. */
  const jobFolder = {
    files: filesOfJob,
    missing: missingFiles,
    setupKey,
    commit: (folder: string) => commitOf({ run: runProgram }, folder),
  };
  return { jobs, jobMachine, jobFolder };
}

function guardOver(ssh: SshService): JobGuard {
  return {
    arm: async (account, instanceId, seconds, signal) => {
      const token = randomBytes(8).toString('hex');
      const order = { serviceUrl: account.serviceUrl, instanceId, action: 'stop', mode: 'job' } as const;
      const alias = ssh.aliasOf(account, instanceId);
      const { kind } = await armTimer(ssh, alias, { ...order, seconds, token, fetchSeconds }, signal);
      return kind === 'armed';
    },
    disarm: (account, instanceId, signal) =>
      disarmTimer(ssh, ssh.aliasOf(account, instanceId), instanceId, signal, 'job'),
  };
}

/** Returns one object per request of the user, so that its reads stay valid until the machine may have run again. */
function stoppedMachines(ssh: SshService, clock: Clock): JobStepDeps['stoppedMachine'] {
  const known = new Map<string, { readonly copyAt: number | undefined; readonly machine: StoppedMachine }>();
  return (account, instanceId, { id, decidedAt: { copy: copyAt } }) => {
    const last = known.get(id);
    if (last?.copyAt === copyAt && last) {
      return last.machine;
    }
    const alias = ssh.aliasOf(account, instanceId);
    const machine = createStoppedMachine({
      ...servedInstance({ clock, ssh }, alias, instanceId, account),
      onFetched: () => known.delete(id),
    });
    known.set(id, { copyAt, machine });
    return machine;
  };
}
