import { pathId } from '../body';
import { callerOf, ok, route, ServiceError, type Route, type SimRequest } from '../route';
import type { AccountSshKey } from '../state';
import type { World } from '../world';
import { keyBlob, keyComment, wantedKey } from './publicKey';

/** The SSH keys of the account (docs/service/ssh-keys.md#account-keys). */
export function accountKeyRoutes(world: World): Route[] {
  const ownKey = (request: SimRequest): AccountSshKey => {
    const id = pathId(request.params['id'], 'no_ssh_key', 'There is no such SSH key.');
    const key = world.sshKeys.find(
      (other) => other.id === id && other.accountId === callerOf(request).accountId,
    );
    if (!key) {
      throw new ServiceError(400, 'no_ssh_key', 'There is no such SSH key.');
    }
    return key;
  };
  return [
    route('GET /api/v0/ssh/', { permission: 'user_read', everySeconds: 1 }, (request) => {
      const { accountId } = callerOf(request);
      return ok(world.sshKeys.filter((key) => key.accountId === accountId).map(row));
    }),
    route('POST /api/v0/ssh/', { permission: 'user_write', everySeconds: 1 }, (request) => {
      const { accountId } = callerOf(request);
      const publicKey = wantedKey(request);
      const existing = world.sshKeys.find(
        (key) => key.accountId === accountId && keyBlob(key.publicKey) === keyBlob(publicKey),
      );
      if (existing) {
        throw new ServiceError(400, 'invalid_request', 'This SSH key is already in the account.');
      }
      const key = { id: world.nextId('sshKey', 310_001), accountId, publicKey, createdAt: world.now() };
      world.sshKeys.push(key);
      world.changed();
      return ok({ success: true, key: row(key) });
    }),
    route('PUT /api/v0/ssh/{id}/', { permission: 'user_write', everySeconds: 1 }, (request) => {
      const key = ownKey(request);
      key.publicKey = wantedKey(request);
      world.changed();
      return ok({ success: true, key: row(key) });
    }),
    route('DELETE /api/v0/ssh/{id}/', { permission: 'user_write', everySeconds: 1 }, (request) => {
      world.removeSshKey(ownKey(request).id);
      return ok({ success: true });
    }),
  ];
}

function row(key: AccountSshKey) {
  return {
    id: key.id,
    user_id: key.accountId,
    name: keyComment(key.publicKey),
    public_key: key.publicKey,
    created_at: new Date(key.createdAt * 1000).toISOString(),
    deleted_at: null,
  };
}
