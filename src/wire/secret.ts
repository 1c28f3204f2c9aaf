import * as z from 'zod';

/** GET secrets: an object name → value, masked or in clear (docs/service/environment-variables.md#list). */
export const secretList = z.looseObject({ secrets: z.record(z.string(), z.unknown()) });
