import type { ApiRequest } from './http';

/** Fields of requests that are harmless in a message. Each value of all others is a secret. */
export const plainFields: ReadonlySet<string> = new Set([
  ...['image', 'tag', 'label', 'name', 'desc', 'readme', 'href', 'repo', 'hash_id', 'template_hash_id'],
  ...['runtype', 'state', 'target_state', 'client_id', 'jupyter_dir', 'ssh_key', 'mount_path', 'create_from'],
  ...[
    'tfa_method',
    'maintenance_reason',
    'sdate',
    'maintenance_category',
    'extra_filters',
    'docker_login_repo',
  ],
  ...['permissions', 'key_params', 'key', 'transfer'],
  ...['container_registry', 'personal_repo', 'pause'],
  ...['problem', 'message', 'api_endpoint', 'request_method', 'frequency', 'event_types'],
]);
/** Fields in which the names are the user's own: a variable called `name` or `key` may hold a secret. */
const namedByUser: ReadonlySet<string> = new Set(['env']);
/** Shorter values occur in too many other words. */
const shortest = 4;

/** Returns the values of a write that no message may repeat: environment, scripts, logins, passwords and codes. */
export function secretsIn(request: Pick<ApiRequest, 'repeat' | 'body'>): readonly string[] {
  return request.repeat === 'write' ? [...new Set(valuesIn(request.body))] : [];
}

/** Adds the parts of each, since a service may quote the line or the word that it did not like; longest first. */
export function partsOf(secrets: readonly string[]): readonly string[] {
  const parts = secrets.flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    ...secret.split(/[\r\n]+/).map((line) => line.trim()),
    ...secret.split(/[\s=:,;"'\\]+/),
    // The address of a webhook: not its first words, which others share.
    ...(secret.startsWith('https://') ? secret.split(/[/?&=#]+/).slice(2) : []),
  ]);
  return [...new Set(parts)].filter(({ length }) => length >= shortest).sort((a, b) => b.length - a.length);
}

function* valuesIn(value: unknown, isNamedByUser = false): Iterable<string> {
  if (typeof value === 'string') {
    if (value.length >= shortest) {
      yield value;
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      if (isNamedByUser || !plainFields.has(name)) {
        yield* valuesIn(inner, isNamedByUser || namedByUser.has(name));
      }
    }
  }
}
