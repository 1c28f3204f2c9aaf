import { BodyReader } from './body';
import { callerOf, ok, route, ServiceError, type Route, type SimRequest } from './route';
import type { World } from './world';

/** Not documented; enough for every user, and few enough to be reached by a test. */
const mostSecrets = 100;
const longestKey = 255;
const longestValue = 8192;

interface SecretState {
  /** By account, then by upper-case name. */
  byAccount: Record<string, Record<string, string> | undefined>;
}

function secretState(world: World): SecretState {
  return world.section<SecretState>('secrets', () => ({ byAccount: {} }));
}

const writes = { permission: 'user_write', endpoint: 'api.secrets', everySeconds: 3 } as const;
const reads = { permission: 'user_read', endpoint: 'api.secrets', everySeconds: 5 } as const;

/** The account's environment variables (docs/service/environment-variables.md#list). */
export function secretRoutes(world: World): Route[] {
  const state = secretState(world);
  const own = (request: SimRequest) => (state.byAccount[callerOf(request).accountId] ??= {});
  world.ports.accountEnv = (accountId) => state.byAccount[accountId] ?? {};
  return [
    // Values are sent in clear, as the service may do, so a client has to mask them
    // (docs/service/environment-variables.md#list).
    route('GET /api/v0/secrets/', reads, (request) => ok({ success: true, secrets: { ...own(request) } })),
    route('POST /api/v0/secrets/', writes, (request) => {
      const secrets = own(request);
      const { name, value } = wanted(request);
      if (name in secrets) {
        throw new ServiceError(400, 'existing_key', `Environment variable ${name} already exists.`);
      }
      if (Object.keys(secrets).length >= mostSecrets) {
        throw new ServiceError(400, 'max_secrets', `At most ${mostSecrets} environment variables.`);
      }
      secrets[name] = checkedValue(value);
      world.changed();
      return ok({ success: true, msg: 'Environment variable added successfully' });
    }),
    route('PUT /api/v0/secrets/', writes, (request) => {
      const secrets = own(request);
      const { name, value } = wanted(request);
      if (!(name in secrets)) {
        throw unknownName(name);
      }
      secrets[name] = checkedValue(value);
      world.changed();
      return ok({ success: true, msg: 'Environment variable updated successfully' });
    }),
    route('DELETE /api/v0/secrets/', writes, (request) => {
      const secrets = own(request);
      const name = nameIn(request);
      if (!(name in secrets)) {
        throw unknownName(name);
      }
      state.byAccount[callerOf(request).accountId] = Object.fromEntries(
        Object.entries(secrets).filter(([other]) => other !== name),
      );
      world.changed();
      return ok({ success: true, msg: 'Environment variable deleted successfully' });
    }),
  ];
}

function nameIn(request: SimRequest): string {
  const name = BodyReader.of(request.body, 'missing_input').text('key')?.trim();
  if (name === undefined || name === '') {
    throw new ServiceError(400, 'missing_input', 'key is required.');
  }
  return name.toUpperCase();
}

function wanted(request: SimRequest): { name: string; value: string } {
  const name = nameIn(request);
  const value = BodyReader.of(request.body, 'missing_input').text('value');
  if (value === undefined) {
    throw new ServiceError(400, 'missing_input', 'value is required.');
  }
  if (!/^[A-Z_][A-Z0-9_]*$/.test(name)) {
    throw new ServiceError(400, 'invalid_characters', 'A name is made of letters, digits and _.');
  }
  if (name.length > longestKey) {
    throw new ServiceError(400, 'input_too_long', `A name has at most ${longestKey} characters.`);
  }
  return { name, value };
}

function checkedValue(value: string): string {
  if (value === '') {
    throw new ServiceError(400, 'empty_input', 'The value is empty.');
  }
  if (value.length > longestValue) {
    throw new ServiceError(400, 'input_too_long', `A value has at most ${longestValue} characters.`);
  }
  if (!/^[A-Za-z0-9_.-]+$/.test(value)) {
    throw new ServiceError(400, 'invalid_characters', 'A value is made of letters, digits and _ . -');
  }
  return value;
}

function unknownName(name: string): ServiceError {
  return new ServiceError(400, 'nonexistent_key', `Environment variable ${name} does not exist.`);
}
