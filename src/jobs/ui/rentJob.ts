import { runCommand } from '../../editor/commands';
import type { DraftJob } from '../model/draftJob';
import type { OpenRecipe } from '../../model/workspace/workspaceFile';
import type { SentFiles } from '../machine/sentFiles';
import { sentBytes } from './confirmJob';
import type { JobDeps } from './deps';

/** Searches offers for a job. The user confirms there whether to rent, and what. */
export async function rentJob(
  { sshConsent }: Pick<JobDeps, 'sshConsent'>,
  order: Omit<DraftJob['order'], 'ends'>,
  each: DraftJob['each'],
  sent: SentFiles,
  recipe: OpenRecipe | undefined,
): Promise<void> {
  const { spec } = order;
  const job: DraftJob = {
    order: { ...order, ends: spec.rentedEnds },
    each,
    machines: Math.min(spec.maxParallel, each.length),
    names: sent.names,
    bytes: sentBytes(sent),
    secretFiles: sent.secretFiles,
    leftOut: sent.leftOut.map(({ name }) => name),
  };
  // The user may be away when the machine is ready, so the question comes first.
  await sshConsent.ask();
  await runCommand('gpuRental.rentForJob', { job, recipe });
}
