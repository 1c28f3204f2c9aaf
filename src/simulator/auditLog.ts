import { isObject } from './body';
import { callerOf, ok, route, type Caller, type Route, type SimRequest } from './route';
import type { World } from './world';

/** A row of the answer (docs/service/audit-log.md#list). */
interface Row {
  ip_address: string;
  api_key_id: number;
  /** Unix seconds with a fraction. */
  created_at: number;
  api_route: string;
  /** JSON. */
  args: string;
}

interface AuditState {
  rows: (Row & { accountId: number })[];
}

const mostRows = 2000;
/** The service keeps all of a body; secrets are left out here, because the state file may be plain. */
const keptFields = ['id', 'ids', 'state', 'label'];

/** GET audit_logs and what fills it: the writes of keys, and what the timetable does. */
export function auditRoutes(world: World): Route[] {
  const state = world.section<AuditState>('auditLog', () => ({ rows: [] }));
  const add = (accountId: number, row: Omit<Row, 'created_at'>) => {
    state.rows.push({ ...row, created_at: world.now(), accountId });
    state.rows.splice(0, state.rows.length - mostRows);
    world.changed();
  };
  world.ports.audit = {
    request: (caller, of, request) => {
      if (of.method !== 'GET' && of.permission !== 'misc' && of.path.startsWith('/api/')) {
        add(caller.accountId, {
          ip_address: request.remoteAddress,
          api_key_id: caller.keyId,
          api_route: routeName(of),
          args: JSON.stringify(argsOf(request)),
        });
      }
    },
    timetable: (accountId, entryId, method, args) =>
      add(accountId, {
        ip_address: '127.0.0.1',
        // The timetable acts with keys that no list of keys has.
        api_key_id: 900_000 + entryId,
        api_route: `api.instance_${method}`,
        args: JSON.stringify(args),
      }),
  };
  return [
    route(
      'GET /api/v0/audit_logs/',
      { permission: 'misc', endpoint: 'api.audit_logs', everySeconds: 2 },
      (request) =>
        ok(
          state.rows
            .filter(({ accountId }) => accountId === callerOf(request).accountId)
            .map(({ ip_address, api_key_id, created_at, api_route, args }) => ({
              ip_address,
              api_key_id,
              created_at,
              api_route,
              args,
            }))
            .reverse(),
        ),
    ),
  ];
}

/** `api.instance_DELETE` for `DELETE /api/v0/instances/{id}/` (docs/service/audit-log.md#routes). */
function routeName({ method, path }: Route): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== 'api' && !/^v\d$/.test(part));
  const names = parts.flatMap((part, index) =>
    part.startsWith('{') ? [] : [parts[index + 1]?.startsWith('{') === true ? part.replace(/s$/, '') : part],
  );
  return `api.${names.join('.')}_${method}`;
}

function argsOf({ params, body }: SimRequest): Record<string, unknown> {
  const named = isObject(body) ? body : {};
  const kept = keptFields.flatMap((name) => (name in named ? [[name, named[name]] as const] : []));
  const id = Number(Object.values(params)[0]);
  return { ...Object.fromEntries(kept), ...(Number.isInteger(id) ? { id } : {}) };
}

/** Takes down what was done. */
export interface AuditPort {
  request(caller: Caller, route: Route, request: SimRequest): void;
  timetable(accountId: number, entryId: number, method: string, args: object): void;
}
