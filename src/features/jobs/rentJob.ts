import { runCommand } from '../../editor/commands';
import type { DraftJob } from '../../model/jobs/rentForJob';
import type { Recipe } from '../../model/workspace/workspaceFile';
import type { SentFiles } from '../../ssh/jobs/sentFiles';
import { sentBytes } from './confirmJob';
import type { JobDeps } from './deps';

/** Goes on to the offers for a job; what is rented, and whether, is confirmed there. */
export async function rentJob(
  { sshConsent }: Pick<JobDeps, 'sshConsent'>,
  order: Omit<DraftJob['order'], 'ends'>,
  each: DraftJob['each'],
  sent: SentFiles,
  recipe: Recipe | undefined,
): Promise<void> {
  const { spec } = order;
  const job: DraftJob = {
    order: { ...order, ends: spec.rentedEnds },
    each,
    machines: Math.min(spec.maxParallel, each.length),
    names: sent.names,
    bytes: sentBytes(sent),
    leftOut: sent.leftOut.map(({ name }) => name),
  };
  // Nobody may be there to answer once the machine is ready.
  await sshConsent.ask();
  await runCommand('gpuRental.rentForJob', { job, recipe });
}
