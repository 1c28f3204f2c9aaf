import * as z from 'zod';
import { savedText } from './jobSchemas';
import type { JobNewsKind } from '../../model/jobs/jobNews';

const kinds = [
  'nearLimit',
  'extended',
  'idle',
  'notExtended',
  'notCheckpointed',
  'ended',
  'notStarted',
  'notReady',
  'notReplaced',
  'triedAgain',
  'lost',
  'machineStopped',
  'keeping',
  'noAnswer',
  'notSaved',
  'notSent',
  'overdue',
  'incomplete',
  'othersThere',
  'notFetched',
  'stillGuarded',
  'notReleased',
  'fetchedAgain',
  'notFetchedAgain',
  'released',
] as const satisfies readonly JobNewsKind[];

/** The data of a notice about a job. */
export const jobNotice = z.object({ kind: z.enum(kinds), jobId: z.string(), why: savedText.optional() });
export type JobNotice = z.infer<typeof jobNotice>;
export const jobNoticeKind = 'job';
