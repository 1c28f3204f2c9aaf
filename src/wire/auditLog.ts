import * as z from 'zod';
import { looseList, looseMembers, looseTime, numbers, texts } from './field';

/** A row of GET audit_logs (docs/service/audit-log.md#list). `args` may hold secrets, so only `auditArgs` of it are read. */
export const auditRow = z.looseObject({
  api_route: z.string(),
  ...texts('ip_address'),
  ...numbers('api_key_id'),
  created_at: looseTime,
  args: z.unknown().optional(),
});
export type WireAuditRow = z.infer<typeof auditRow>;
export const auditList = looseList('audit_logs');

/** What is read of `args`, which are an object or its JSON text; all other fields are dropped. */
export const auditArgs = z
  .object({
    ...numbers('id', 'instance_id'),
    ...texts('state'),
    ids: looseMembers(z.number()),
    instance_ids: looseMembers(z.number()),
  })
  .catch({});
