import * as z from 'zod';
import { nextOf, type WirePage } from './field';

/** GET secrets: an object name → value, masked or in clear (docs/service/environment-variables.md#list). */
export const secretList = z
  .looseObject({ secrets: z.record(z.string(), z.unknown()) })
  .transform(({ secrets, next_token: token }): WirePage => ({
    rows: Object.entries(secrets),
    next: nextOf(token),
  }));

export const secretRow = z.tuple([z.string(), z.unknown()]);
