import { pathId } from '../body';
import { callerOf, ServiceError, type SimRequest } from '../route';
import type { InstanceState } from '../state';
import type { World } from '../world';

const notFound = (id: string | undefined) => `Instance ${id ?? ''} not found.`;

/** The instance of the path's `{id}`. @throws ServiceError 404 unless it is the caller's. */
export function ownInstance(world: World, request: SimRequest, code = 'no_such_instance'): InstanceState {
  const text = request.params['id'];
  const instance = world.instance(pathId(text, code, notFound(text)));
  if (instance?.accountId !== callerOf(request).accountId) {
    throw new ServiceError(404, code, notFound(text));
  }
  return instance;
}
