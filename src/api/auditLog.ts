import type { AuditEntry } from '../model/accounts/auditEntry';
import { defined } from '../util/defined';
import { auditArgs, auditList, auditRow, type WireAuditRow } from '../wire/auditLog';
import type { Client } from './client';
import type { Http } from './http';
import { readList } from './listing';
import { parsedText, timeOf } from './modelValues';
import { read } from './request';

/** Lists what changed something in the account (docs/service/audit-log.md#list). */
export function auditLogApi(http: Http): Client['auditLog'] {
  return {
    list: (options) => readList(http, read('GET /api/v0/audit_logs/'), auditList, auditRow, toEntry, options),
  };
}

function toEntry(wire: WireAuditRow): AuditEntry {
  const {
    id,
    instance_id: instanceId,
    ids,
    instance_ids: instanceIds,
    state,
  } = auditArgs.parse(parsedText(wire.args));
  const named = [id, instanceId, ...(ids ?? []), ...(instanceIds ?? [])];
  return defined<AuditEntry>({
    at: timeOf(wire.created_at),
    route: matching(wire.api_route, /^[\w.-]{1,100}$/) ?? '',
    keyId: wire.api_key_id,
    address: matching(wire.ip_address, /^[\da-fA-F.:]{2,45}$/),
    ids: [...new Set(named.flatMap((one) => (Number.isSafeInteger(one) ? (one ?? []) : [])))],
    state: matching(state, /^[a-z_]{1,30}$/),
  });
}

/** Arguments hold free text, secrets included, so only values of the expected form are kept. */
function matching(value: string | undefined, form: RegExp): string | undefined {
  return value !== undefined && form.test(value) ? value : undefined;
}
