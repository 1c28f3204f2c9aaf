import { accountResources } from './accountResources';
import { InstanceService } from './instances/instanceService';
import { searchRoutes } from './market/searchRoutes';
import type { Route } from './route';
import type { World } from './world';

/** Makes the routes of one resource; it may also fill `world.ports` and `world.guards`. */
export type RouteFactory = (world: World) => Route[];

/**
 * The resources of the service, each in a file of its own. A resource is added here and nowhere else.
 */
export const resources: readonly RouteFactory[] = [accountResources, searchRoutes];

export interface ServiceRoutes {
  readonly routes: readonly Route[];
  readonly instances: InstanceService;
  close(): Promise<void>;
}

/** Everything that the service serves. `onConnections` hears of each SSH connection that comes and goes. */
export function serviceRoutes(world: World, onConnections: (change: 1 | -1) => void): ServiceRoutes {
  const instances = new InstanceService(world, onConnections);
  return {
    routes: [...resources.flatMap((factory) => factory(world)), ...instances.routes],
    instances,
    close: () => instances.close(),
  };
}
