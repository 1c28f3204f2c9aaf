import { runCommand } from '../../editor/commands';
import { variantsOf } from '../../model/jobs/jobMatrix';
import type { DraftJob } from '../../model/jobs/rentForJob';
import type { Recipe } from '../../model/workspace/workspaceFile';
import type { SentFiles } from '../../ssh/jobs/sentFiles';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import { sentBytes } from './confirmJob';
import type { JobDeps } from './deps';

/** Goes on to the offers for a job; what is rented, and whether, is confirmed there. */
export async function rentJob(
  { sshConsent }: Pick<JobDeps, 'sshConsent'>,
  order: Omit<DraftJob['order'], 'ends'>,
  sent: SentFiles,
  recipe: Recipe | undefined,
): Promise<void> {
  const { spec } = order;
  if (variantsOf(spec).length > 1) {
    throw new UserError(
      text('The job {0} has a "matrix", which needs instances that run. Rent them first.', spec.name),
    );
  }
  const job: DraftJob = {
    order: { ...order, ends: spec.rentedEnds },
    names: sent.names,
    bytes: sentBytes(sent),
    leftOut: sent.leftOut.map(({ name }) => name),
  };
  // Nobody may be there to answer once the machine is ready.
  await sshConsent.ask();
  await runCommand('gpuRental.rentForJob', { job, recipe });
}
