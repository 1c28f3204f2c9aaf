import { callerOf, ServiceError, type SimRequest } from '../route';
import type { InstanceState } from '../state';
import type { World } from '../world';

/** The answer of an operation to an unknown instance. */
interface Unknown {
  readonly code: string;
  readonly status: number;
}

/** The instance of the path's `{id}`. @throws ServiceError, 404 by default, unless it is the caller's. */
export function ownInstance(
  world: World,
  request: SimRequest,
  { code, status }: Unknown = { code: 'no_such_instance', status: 404 },
): InstanceState {
  const text = request.params['id'];
  const instance = world.instance(Number(text));
  if (instance?.accountId !== callerOf(request).accountId) {
    throw new ServiceError(status, code, `Instance ${text ?? ''} not found.`);
  }
  return instance;
}
