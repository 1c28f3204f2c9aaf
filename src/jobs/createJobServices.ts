import { randomBytes } from 'node:crypto';
import type { MachineContact } from '../machineChecks';
import { fetchSeconds } from './model/jobLimits';
import type { JobMachine, StoppedMachine } from './model/jobMachine';
import { createJobMachine } from './machine/createJobMachine';
import { createStoppedMachine } from './machine/stoppedMachine';
import { armTimer, disarmTimer } from '../schedules/machine/machineTimer';
import type { SshService } from '../ssh/service';
import { JobFiles } from './store/jobFiles';
import { JobRunner } from './store/jobRunner';
import type { JobGuard, JobStepDeps } from './store/jobStep';
import { Jobs } from './store/jobs';
import { JobSecrets, secretUseOf } from './store/jobSecrets';
import type { Budget } from '../store/budget/budgetStore';
import { roomBeside } from '../store/instances/burn';
import type { Account, Accounts } from '../store/accounts/accounts';
import type { Fleet } from '../store/instances/fleetStore';
import type { SecretPort } from '../store/accounts/patientSecrets';
import type { Reading } from '../shared/reading';
import type { Volume } from '../model/volume';
import type { WindowHub } from '../store/windows/windowHub';
import type { FailedMachines } from '../store/rentals/failedMachines';
import type { RentalStore } from '../store/rentals/rentalStore';
import { replaceInstance } from '../store/rentals/replacement';
import type { Notices } from '../store/windows/notices';
import type { Clock } from '../util/clock';
import type { Disposable } from '../util/disposable';
import type { Log } from '../util/log';
import type { Redactor } from '../util/redact';
import { accountPath } from '../store/accounts/accountFiles';

interface JobServicesDeps {
  readonly own: <T extends Disposable>(item: T) => T;
  readonly accounts: Accounts;
  readonly fleet: Fleet;
  readonly rentals: RentalStore;
  readonly volumes: Reading<readonly Volume[]>;
  readonly budget: Pick<Budget, 'current'>;
  readonly failedMachines: FailedMachines;
  /** Dollars; 0 means no limit. */
  readonly limitPerHour: () => number;
  readonly hub: WindowHub;
  readonly notices: Notices;
  readonly clock: Clock;
  readonly log: Log;
  readonly redactor: Redactor;
  readonly secrets: SecretPort;
  readonly ssh: SshService;
  readonly machineChecks: MachineContact;
  readonly storageDir: string;
}

/** Makes the services for jobs, which run over SSH. */
export function jobServices({
  own,
  ssh,
  storageDir,
  machineChecks,
  secrets,
  redactor,
  volumes,
  budget,
  failedMachines,
  limitPerHour,
  ...shared
}: JobServicesDeps) {
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
    const use = await secretUseOf(job);
    const values = await new JobSecrets(secrets, accountKey).read(use, job.spec.secrets);
    Object.values(values).forEach((value) => {
      redactor.addSecret(value);
    });
    return values;
  };
  const replaceMachine = (instanceId: number, signal: AbortSignal) =>
    replaceInstance({ ...shared, budget, failedMachines }, instanceId, {
      signal,
      // The user accepted this with the retries of the job.
      dataLossAccepted: true,
      ...roomBeside({ ...shared, volumes }, limitPerHour(), instanceId),
    });
  own(
    new JobRunner({
      ...shared,
      firstContact: machineChecks.contact,
      guard: guardOver(ssh),
      jobs,
      machine: jobMachine,
      replaceMachine,
      stoppedMachine: stoppedMachines(ssh, shared.clock),
      secrets: read,
    }),
  );
  return { jobs, jobMachine };
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
      clock,
      platform: process.platform,
      module: `C.${instanceId}`,
      open: async (options) => {
        const { signal } = options;
        const host = await account.client.copies.host({ instanceId, path: '/root/' }, { signal });
        return ssh.execOnHost(alias, host, options);
      },
      onFetched: () => known.delete(id),
    });
    known.set(id, { copyAt, machine });
    return machine;
  };
}
