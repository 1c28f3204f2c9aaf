import * as z from 'zod';
import { id, looseList, looseString, looseTime, numbers, texts } from './field';

/** A row of GET auth/apikeys, which never has the value (docs/service/api-keys.md#record). */
export const apiKey = z.looseObject({
  id,
  ...numbers('user_id'),
  ...texts('name', 'rights', 'team_name'),
  permissions: z.unknown().optional(),
  /** An object or a JSON text. */
  key_params: z.unknown().optional(),
  created_at: looseTime,
});
export type WireApiKey = z.infer<typeof apiKey>;

export const apiKeyList = looseList('apikeys', 'api_keys');

/** POST auth/apikeys; `permissions` is a boolean in the sample and an object in practice. */
export const createdApiKey = z.looseObject({
  id,
  key: z.string().min(1),
  permissions: z.unknown().optional(),
});

/** DELETE auth/apikeys/{id} answers a bare text, other calls an object (docs/service/api-keys.md#delete). */
export const deletedApiKey = z.union([z.string(), z.looseObject({ msg: looseString })]);
