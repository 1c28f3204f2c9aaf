import { readJob } from '../../jobs/model/jobSpec';
import { outputsFolderOf, workspaceKeyOf } from '../../jobs/store/outputsFolders';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { toDollars } from '../../model/money';
import { perHour, runningRateOf } from '../../model/quote';
import type { Account } from '../../store/accounts/accounts';
import { accountStill } from '../../store/accounts/sameAccount';
import { homeFolder } from '../../util/thisUser';
import { ToolError } from '../model/answer';
import { committedUntil } from '../model/ledger';
import { rentedByAgent, type AgentRequest } from '../model/request';
import type { ToolDeps } from './toolDeps';

const minuteMs = 60_000;
const jobName = 'command';

/** Throws where the instance of an agent ends before the command could. */
export function checkTime(
  { clock }: Pick<ToolDeps, 'clock'>,
  requests: readonly AgentRequest[],
  instanceId: number,
  minutes: number,
): void {
  const isOwn = rentedByAgent({ quotes: [], requests }, instanceId) !== undefined;
  if (isOwn && (committedUntil(requests, instanceId) ?? 0) < clock.now() + minutes * minuteMs) {
    throw new ToolError(
      'The instance ends before the command could. Ask for fewer minutes, or call set_schedule for a later end first.',
    );
  }
}

/** Runs a command as a job that sends and brings no files. Returns the id of the job, which outlives agent and window. */
export async function runAsJob(
  { accounts, agentJobs, clock, desk }: ToolDeps,
  request: AgentRequest,
  { account, instance, minutes }: { account: Account; instance: Instance; minutes: number },
): Promise<string> {
  const { command = '', caller, id } = request;
  const rate = runningRateOf(instance);
  const price = rate === undefined ? undefined : perHour(rate);
  const hours = minutes / 60;
  // The minutes are its limit; it may wait for other jobs of the instance before.
  const costDollars = Math.ceil((price === undefined ? 1 : toDollars(price)) * (hours + 24) * 100 + 1) / 100;
  const job = { run: command, sync: false, outputs: [], limits: { hours, costDollars } };
  const spec = readJob(JSON.stringify({ jobs: { [jobName]: job } }), jobName);
  const workspace = homeFolder();
  const checkNow = () => desk.checkNow(account.key, request);
  await agentJobs.prepare(account, instance.id, checkNow);
  await checkNow();
  accountStill(accounts, account.key);
  const ordered = await agentJobs.jobs.order(
    {
      spec,
      workspace,
      workspaceKey: workspaceKeyOf(workspace, spec),
      machine: { instanceId: instance.id, name: instanceName(instance), perHour: price },
      ends: spec.ends,
      outputsTo: outputsFolderOf(spec, workspace, clock.now()),
      agent: { name: caller.name, request: id },
    },
    [],
  );
  return ordered.id;
}
