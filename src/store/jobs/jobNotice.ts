import * as z from 'zod';
import type { JobNewsKind } from '../../model/jobs/jobNews';

const kinds = [
  'nearLimit',
  'extended',
  'idle',
  'notExtended',
  'ended',
  'notStarted',
  'notReady',
  'notReplaced',
  'triedAgain',
  'lost',
  'machineStopped',
  'keeping',
  'incomplete',
  'othersThere',
  'notFetched',
  'stillGuarded',
  'notReleased',
  'released',
] as const satisfies readonly JobNewsKind[];

/** The data of a notice about a job. */
export const jobNotice = z.object({ kind: z.enum(kinds), jobId: z.string() });
export type JobNotice = z.infer<typeof jobNotice>;
export const jobNoticeKind = 'job';
