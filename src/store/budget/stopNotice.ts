import * as z from 'zod';
import { periods } from '../../model/budget/period';
import { micros } from '../../model/money';

/** The notice after all instances were stopped at the end of a budget. */
export const stopNotice = z.object({
  kind: z.enum(['soon', 'stopped', 'interrupted']),
  round: z.string(),
  period: z.enum(periods),
  limit: micros,
  stopped: z.array(z.string()),
  /** Names of instances that could not be stopped or are not confirmed as stopped. */
  left: z.array(z.string()),
});
export type StopNotice = z.infer<typeof stopNotice>;
export const stopNoticeKind = 'budget.stop';
