import * as z from 'zod';
import { looseBoolean, looseNumber } from './field';

/** The text may be in `msg`, `message`, `error` or `detail` (docs/service/errors.md#body). */
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

/** The code of a refused key. Codes that are not documented stay text (docs/service/errors.md#codes). */
export const authErrorCode = 'auth_error';
export const deprecatedEndpointCode = 'deprecated_endpoint';
