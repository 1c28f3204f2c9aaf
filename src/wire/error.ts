import * as z from 'zod';
import { looseBoolean, looseNumber } from './field';

/** interface: Errors 1; text may be in `msg`, `message`, `error` or `detail` (service-facts: Quirk 10). */
export const errorBody = z.looseObject({
  success: looseBoolean,
  error: z.string().optional().catch(undefined),
  msg: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  detail: z.string().optional().catch(undefined),
  fail_count: looseNumber,
  locked_until: looseNumber,
});
export type ErrorBody = z.infer<typeof errorBody>;

/** Error codes that interface and service-facts name; others are kept as text. */
export const authErrorCode = 'auth_error';
export const deprecatedEndpointCode = 'deprecated_endpoint';
