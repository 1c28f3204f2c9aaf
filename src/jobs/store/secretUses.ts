import { jobUse, type SecretUse } from '../../model/accounts/keptSecret';
import { realPlace } from '../../util/realPlace';
import type { Job } from '../model/job';
import type { JobSpec } from '../model/jobSpec';

/** What a job gets its secrets for. */
export interface JobPlace {
  /** The real path of the folder: links on the way can't make it another one. */
  readonly folder: string;
  /** The name of the job in the file, which the jobs of a matrix share. */
  readonly job: string;
  readonly useOf: (variable: string) => SecretUse;
}

export async function secretPlaceOf({
  workspace,
  spec: { name, nameInFile: job = name },
}: Pick<Job, 'workspace'> & { readonly spec: Pick<JobSpec, 'name' | 'nameInFile'> }): Promise<JobPlace> {
  const folder = await realPlace({ path: workspace, root: { opened: workspace } });
  return { folder, job, useOf: (variable) => jobUse(folder, job, variable) };
}
