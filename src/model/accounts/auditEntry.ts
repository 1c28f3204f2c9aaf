import type { ApiKey } from './apiKey';

/** A call that changed something, as the service recorded it (docs/service/audit-log.md#list). */
export interface AuditEntry {
  /** Unix time in ms. */
  readonly at?: number;
  /** The service's name of the call, such as `api.instance_DELETE`. */
  readonly route: string;
  /** The API key that sent it. Machines and the service's timetable have keys of their own. */
  readonly keyId?: number;
  /** The IP address that it came from. */
  readonly address?: string;
  /** What it names as `id`; only the calls of `auditAction` say that these are instances. */
  readonly ids: readonly number[];
  readonly state?: string;
}

/** The keys that the account knows. */
export interface AuditSenders {
  readonly keyInUse: number | undefined;
  /** `undefined` if the key in use may not list them. */
  readonly keys: readonly ApiKey[] | undefined;
}

export type AuditAction = 'rent' | 'start' | 'stop' | 'destroy';

/** Returns what an entry did with instances; `undefined` for all other calls (docs/service/audit-log.md#routes). */
export function auditAction({ route, state }: AuditEntry): AuditAction | undefined {
  if (route === 'api.ask_PUT') {
    return 'rent';
  }
  if (/^api\.instances?_DELETE$/.test(route)) {
    return 'destroy';
  }
  if (!/^api\.instances?_PUT$/.test(route)) {
    return undefined;
  }
  return state === 'stopped' ? 'stop' : state === 'running' ? 'start' : undefined;
}

/** Returns the last entry that destroyed the instance. A lost bid and the end of a contract leave none. */
export function endOfInstance(entries: readonly AuditEntry[], instanceId: number): AuditEntry | undefined {
  return entries
    .filter((entry) => auditAction(entry) === 'destroy' && entry.ids.includes(instanceId))
    .reduce<AuditEntry | undefined>(
      (last, entry) => (last === undefined || (entry.at ?? 0) > (last.at ?? 0) ? entry : last),
      undefined,
    );
}
