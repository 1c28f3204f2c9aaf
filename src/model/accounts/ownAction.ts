import type { Actor } from '../../util/acting';

/** A request of this product that cost money or destroyed something, without what was sent. */
export interface OwnAction {
  /** When it was first sent (Unix time in ms). */
  readonly at: number;
  /** Method and path pattern of the call. */
  readonly route: string;
  readonly state?: 'running' | 'stopped' | undefined;
  /** What it names by number; for a rental, the instance that came of it. */
  readonly ids: readonly number[];
  readonly actor?: Actor | undefined;
  /** The folder or workspace of the window, if it had one. */
  readonly window?: string | undefined;
  /** `unknown`: it may have taken effect; absent if the window ended before an answer. */
  readonly end?: 'done' | 'refused' | 'unknown' | undefined;
  /** The service's id of the request. */
  readonly requestId?: string | undefined;
}

/** Writes that neither cost money nor destroy anything. All others are taken down, also those that are new. */
const harmless = new Set([
  'POST /api/v0/template/',
  'PUT /api/v0/template/',
  'POST /api/v0/ssh/',
  'POST /api/v0/auth/apikeys/',
  'POST /api/v0/secrets/',
  'POST /api/v0/instances/{id}/ssh/',
  'DELETE /api/v0/instances/{id}/ssh/{ssh_key_id}/',
  'PUT /api/v0/machines/{machine_id}/report',
  'PUT /api/v0/commands/rsync/',
  'DELETE /api/v0/commands/copy_direct/',
  'DELETE /api/v0/commands/rclone/',
  'PUT /api/v0/users/{user_id}/notification-prefs/',
  'POST /api/v0/webhooks/',
  'POST /api/v0/webhooks/{id}/test/',
  'POST /api/v0/tfa/',
  'POST /api/v0/tfa/email/',
  'POST /api/v0/tfa/sms/',
  'POST /api/v0/tfa/sms/resend/',
  'POST /api/v0/tfa/authorize-new-method/',
  'PUT /api/v0/tfa/authorize-new-method/',
  'POST /api/v0/tfa/totp-setup/',
  'POST /api/v0/tfa/confirm-new/',
  'PUT /api/v0/tfa/update/',
]);

/** Returns what is taken down of a write; `undefined` if it neither costs money nor destroys anything. */
export function ownActionOf({
  route,
  path,
  body,
}: {
  readonly route: string;
  readonly path: string;
  readonly body?: unknown;
}): Pick<OwnAction, 'route' | 'state' | 'ids'> | undefined {
  if (harmless.has(route)) {
    return undefined;
  }
  const sent: Readonly<Record<string, unknown>> =
    typeof body === 'object' && body !== null ? { ...body } : {};
  const state = sent['state'] === 'running' || sent['state'] === 'stopped' ? sent['state'] : undefined;
  if (/^PUT \/api\/v0\/instances\/(?:\{id\}\/)?$/.test(route) && state === undefined) {
    // Only a label.
    return undefined;
  }
  if (route.startsWith('PUT /api/v0/instances/command/') && !/^\s*rm\s/.test(String(sent['command']))) {
    return undefined;
  }
  // An offer is not what remains of a rental.
  const named = route.startsWith('PUT /api/v0/asks/') ? [] : [...numbersIn(route, path), ...numbersOf(sent)];
  return { route, state, ids: [...new Set(named)] };
}

/** Returns the numbers that fill the pattern. */
function numbersIn(route: string, path: string): readonly number[] {
  const parts = path.split('/');
  const [, pattern = ''] = route.split(' ');
  return pattern.split('/').flatMap((part, index) => (part.startsWith('{') ? number(parts[index]) : []));
}

function numbersOf({ id, ids, instance_ids: instanceIds }: Readonly<Record<string, unknown>>) {
  const lists = [ids, instanceIds].flatMap((list) =>
    Array.isArray(list) ? (list as readonly unknown[]) : [],
  );
  return [id, ...lists].flatMap(number);
}

function number(value: unknown): readonly number[] {
  const read = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof read === 'number' && Number.isSafeInteger(read) ? [read] : [];
}
