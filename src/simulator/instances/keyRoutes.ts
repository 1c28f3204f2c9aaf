import { toNumber } from '../body';
import { callerOf, ok, route, ServiceError, type Route } from '../route';
import { keyBlob, keyComment, wantedKey } from '../sshKeys/publicKey';
import type { World } from '../world';
import type { Lifecycle } from './lifecycle';
import { ownInstance } from './ownInstance';

/** instances/{id}/ssh/: the keys that one instance accepts. */
export function instanceKeyRoutes(world: World, lifecycle: Lifecycle): Route[] {
  return [
    route('GET /api/v0/instances/{id}/ssh/', { permission: 'instance_read', everySeconds: 1 }, (request) => {
      const instance = ownInstance(world, request);
      const keys = instance.keys.map((key) => ({
        id: key.id,
        name: key.name,
        public_key: key.publicKey,
        ...(world.options.minimalRecords
          ? {}
          : { user_id: instance.accountId, machine_id: instance.machineId }),
      }));
      // A text that contains JSON, not the list itself (docs/service/ssh-keys.md#keys-of-an-instance).
      return ok({ success: true, ssh_keys: JSON.stringify(keys) });
    }),
    // Accepts the text of a key, not an id (docs/service/ssh-keys.md#attach).
    route(
      'POST /api/v0/instances/{id}/ssh/',
      { permission: 'instance_write', everySeconds: 1 },
      (request) => {
        const instance = ownInstance(world, request);
        const publicKey = wantedKey(request);
        if (instance.isVm) {
          throw new ServiceError(400, 'invalid_request', 'Keys cannot be added to a VM after its creation.');
        }
        const blob = keyBlob(publicKey);
        if (!instance.keys.some((key) => keyBlob(key.publicKey) === blob)) {
          const ofAccount = world.sshKeys.find(
            (key) => key.accountId === callerOf(request).accountId && keyBlob(key.publicKey) === blob,
          );
          instance.keys.push({
            id: ofAccount?.id ?? world.nextId('sshKey', 310_001),
            name: keyComment(publicKey),
            publicKey,
          });
          lifecycle.keysChanged(instance);
        }
        return ok({ success: true, msg: 'SSH key attached successfully' });
      },
    ),
    route(
      'DELETE /api/v0/instances/{id}/ssh/{ssh_key_id}/',
      { permission: 'instance_write', everySeconds: 2 },
      (request) => {
        const keyId = toNumber(request.params['ssh_key_id']);
        if (keyId === undefined || !Number.isInteger(keyId) || keyId <= 0) {
          throw new ServiceError(400, 'invalid_request', 'Invalid request parameters.');
        }
        const instance = ownInstance(world, request);
        if (!instance.keys.some((key) => key.id === keyId)) {
          throw new ServiceError(404, 'no_such_ssh_key', 'SSH key not found on this instance.');
        }
        instance.keys = instance.keys.filter((key) => key.id !== keyId);
        lifecycle.keysChanged(instance);
        return ok({ success: true, msg: 'SSH key removed from instance.' });
      },
    ),
  ];
}
