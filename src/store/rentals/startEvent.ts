import * as z from 'zod';
import { micros } from '../../model/money';
import { checkResult } from '../../model/rentals/machineCheck';
import { failureReasons, troubles } from '../../model/rentals/startWatch';

const ofInstance = z.object({ instanceId: z.number() });
export const startEvent = z.discriminatedUnion('kind', [
  /** Without a check where none was wanted. */
  ofInstance.extend({ kind: z.literal('ready'), check: checkResult.exactOptional() }),
  ofInstance.extend({ kind: z.literal('long'), message: z.string().exactOptional() }),
  ofInstance.extend({
    kind: z.literal('failed'),
    reason: z.enum(failureReasons),
    hadData: z.boolean(),
    message: z.string().exactOptional(),
  }),
  /** A machine that ran is in trouble; nothing happens by itself. */
  ofInstance.extend({ kind: z.literal('trouble'), trouble: z.enum(troubles) }),
  /** It cost more than was confirmed, so it was ended, unless it had run by then. */
  ofInstance.extend({
    kind: z.literal('tooDear'),
    pricePerHour: micros,
    mostPerHour: micros,
    verdict: z.enum(['destroyed', 'notConfirmed', 'kept']),
  }),
  /** The service listed it again after it was destroyed, so it was destroyed once more. */
  ofInstance.extend({ kind: z.literal('destroyedAgain'), name: z.string() }),
  /** Destroyed by us, and in the list again or still. */
  ofInstance.extend({ kind: z.literal('notDestroyed') }),
]);
/** Something to tell the user, heard in exactly one window. */
export type StartEvent = Readonly<z.infer<typeof startEvent>>;
