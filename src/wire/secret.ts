import * as z from 'zod';

/** GET secrets: an object name → value, masked or in clear (service-facts 2.4). */
export const secretList = z.looseObject({ secrets: z.record(z.string(), z.unknown()) });
