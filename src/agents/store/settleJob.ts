import { isOver, type JobRow } from '../../jobs/model/job';
import { isWithin } from '../../util/duration';
import { silenceMs } from '../model/agreed';
import { hourMs } from '../model/gate';
import { rentedByAgent, type AgentRequest } from '../model/request';
import type { DoAgreedDeps } from './doAgreed';

/**
 * Binds the request of a job to what became of it: the machine that it moved to counts in place of a lost one, and an
 * instance of the user counts no longer once the job is over.
 */
export async function settleJob(
  { desk, agentJobs, clock }: DoAgreedDeps,
  request: AgentRequest,
  accountKey: string,
): Promise<void> {
  const { jobs } = agentJobs;
  const { id, state, quote, jobId, commitment } = request;
  const isRun = request.job !== undefined;
  const row = jobs.rows.find(({ job }) => (isRun ? job.agent?.request === id : job.id === jobId));
  if (isRun && row && jobId === undefined) {
    await desk.move(id, [state], { jobId: row.job.id }, accountKey);
    return;
  }
  if (quote) {
    await followMachine(desk, request, row, accountKey);
    return;
  }
  const now = clock.now();
  if (isRun && state === 'working' && !isWithin(silenceMs, request.decidedAt ?? request.at, now)) {
    const problem = 'The window closed before the job was ordered. Nothing was done. Call check_job again.';
    await desk.move(id, [state], row ? { state: 'done' } : { state: 'failed', problem }, accountKey);
    return;
  }
  const isKnown = jobs.error === undefined && jobId !== undefined;
  // An instance of an agent is paid for until it is seen to have ended.
  const isUsers =
    request.instanceId !== undefined &&
    rentedByAgent({ quotes: [], requests: desk.requests }, request.instanceId) === undefined;
  if (state === 'done' && commitment && !commitment.isEnded && isUsers && isKnown && (!row || isOver(row))) {
    const until = Math.max(commitment.from, Math.min(commitment.until, now));
    await desk.move(id, ['done'], { commitment: { ...commitment, until, isEnded: true } }, accountKey);
  }
}

/** After a retry on another machine, this one is the agent's, until the end that was agreed. */
async function followMachine(
  desk: DoAgreedDeps['desk'],
  { id, at, instanceId, quote, commitment }: AgentRequest,
  row: JobRow | undefined,
  accountKey: string,
): Promise<void> {
  const here = row && !isOver(row) ? row.state.machine?.instanceId : undefined;
  if (here === undefined || here === instanceId || !quote || !commitment) {
    return;
  }
  const { perHour, stoppedPerHour } = quote;
  const { from } = commitment;
  const next = { perHour, stoppedPerHour, from, until: at + quote.hours * hourMs };
  await desk.move(id, ['rented'], { instanceId: here, commitment: next }, accountKey);
}
