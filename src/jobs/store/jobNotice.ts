import * as z from 'zod';
import { jobNewsKinds, type JobNewsKind } from '../model/jobNews';
import { savedText } from './jobSchemas';

/** The data of a notice about a job. */
export const jobNotice = z.object({
  kind: z.enum(jobNewsKinds),
  jobId: z.string(),
  why: savedText.optional(),
});
export type JobNotice = z.infer<typeof jobNotice>;
export const jobNoticeKind = 'job';

/** What the models wing says of a job that serves a model. */
export const servedNews: readonly JobNewsKind[] = ['ended', 'lost', 'nearLimit', 'notStarted'];
