import * as z from 'zod';
import { micros } from '../../model/money';
import { checkResult } from '../../model/rentals/machineCheck';
import { failureReasons, troubles } from '../../model/rentals/startWatch';

const ofInstance = z.object({ instanceId: z.number() });
export const startEvent = z.discriminatedUnion('kind', [
  /** Without a check if none was requested. `isLate`: its start was reported as failed. */
  ofInstance.extend({
    kind: z.literal('ready'),
    check: checkResult.exactOptional(),
    isLate: z.literal(true).exactOptional(),
  }),
  ofInstance.extend({
    kind: z.literal('failed'),
    reason: z.enum(failureReasons),
    hadData: z.boolean(),
    message: z.string().exactOptional(),
  }),
  /** A machine that was running has a problem; we take no action. */
  ofInstance.extend({ kind: z.literal('trouble'), trouble: z.enum(troubles) }),
  /** It cost more than confirmed, so it was destroyed unless it had already run. */
  ofInstance.extend({
    kind: z.literal('tooDear'),
    pricePerHour: micros,
    mostPerHour: micros,
    verdict: z.enum(['destroyed', 'notConfirmed', 'kept']),
  }),
  /** The service listed the instance again after it was destroyed, so it was destroyed again. */
  ofInstance.extend({ kind: z.literal('destroyedAgain'), name: z.string() }),
  /** We destroyed the instance, and the list still or again contains it. */
  ofInstance.extend({ kind: z.literal('notDestroyed') }),
]);
/** An event for the user, delivered to exactly one window. */
export type StartEvent = Readonly<z.infer<typeof startEvent>>;
export type ReadyEvent = Extract<StartEvent, { readonly kind: 'ready' }>;
export type FailedStart = Extract<StartEvent, { readonly kind: 'failed' }>;
