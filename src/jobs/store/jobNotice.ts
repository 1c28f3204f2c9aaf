import * as z from 'zod';
import { jobNewsKinds } from '../model/jobNews';
import { savedText } from './jobSchemas';

/** The data of a notice about a job. */
export const jobNotice = z.object({
  kind: z.enum(jobNewsKinds),
  jobId: z.string(),
  why: savedText.optional(),
});
export type JobNotice = z.infer<typeof jobNotice>;
export const jobNoticeKind = 'job';
