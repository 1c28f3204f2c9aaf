import * as z from 'zod';
import { flags, numbers } from './field';

/** The text may be in `msg`, `message`, `error` or `detail` (docs/service/errors.md#body). */
export const errorBody = z.looseObject({
  ...flags('success'),
  error: z.string().optional().catch(undefined),
  msg: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  detail: z.string().optional().catch(undefined),
  ...numbers('fail_count', 'locked_until'),
});
export type ErrorBody = z.infer<typeof errorBody>;

/** The code of a refused key. Codes that are not documented stay text (docs/service/errors.md#codes). */
export const authErrorCode = 'auth_error';
export const deprecatedEndpointCode = 'deprecated_endpoint';
