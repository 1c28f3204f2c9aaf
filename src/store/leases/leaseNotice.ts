import * as z from 'zod';
import type { Text } from '../../util/text';

/** What is told of a lease. */
export const leaseNotice = z.object({
  kind: z.enum(['soon', 'stopped', 'destroyed', 'gone', 'failed', 'missed']),
  instanceId: z.number(),
  name: z.string(),
  leaseId: z.string(),
  action: z.enum(['stop', 'destroy']),
  /** When it is or was due; milliseconds since 1970. */
  at: z.number(),
  /** It was made up for. */
  isLate: z.boolean().optional(),
  idleMinutes: z.number().optional(),
  problem: z
    .custom<Text>((value) => typeof value === 'object' && value !== null && 'template' in value)
    .optional(),
});
export type LeaseNotice = z.infer<typeof leaseNotice>;
export const leaseNoticeKind = 'lease';
