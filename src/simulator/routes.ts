import { apiKeyRoutes } from './apiKeys';
import { auditRoutes } from './auditLog';
import { chargeRoutes } from './billing/chargeRoutes';
import { invoiceRoutes } from './billing/invoiceRoutes';
import { accountControlRoutes } from './control/accountControls';
import { deploymentRoutes } from './deployments';
import { earningsRoutes } from './hosting/earningsRoutes';
import { machineRoutes } from './hosting/machineRoutes';
import { metricsRoutes } from './hosting/metricsRoutes';
import { InstanceService } from './instances/instanceService';
import { searchRoutes } from './market/searchRoutes';
import { notificationRoutes } from './notifications';
import type { Route } from './route';
import { secondFactorRoutes } from './secondFactor/routes';
import { registerSecondFactor } from './secondFactor/sessions';
import { randomTokens, reportedTokens } from './secondFactor/tokens';
import { secretRoutes } from './secrets';
import { teamRoleRoutes } from './teamRoles';
import { templateRoutes } from './templates/templateRoutes';
import { userRoutes } from './users';
import { volumeRoutes } from './volumes/volumeRoutes';
import type { World } from './world';

/** Makes the routes of one resource; it may also fill `world.ports` and `world.guards`. */
type RouteFactory = (world: World) => Route[];

/**
 * The resources of the service, each in a file of its own. A resource is added here and nowhere else.
 */
export const resources: readonly RouteFactory[] = [accountResources, searchRoutes];

interface ServiceRoutes {
  readonly routes: readonly Route[];
  readonly instances: InstanceService;
  close(): Promise<void>;
}

/** Everything that the service serves. `onConnections` is called for each SSH connection that begins and ends. */
export function serviceRoutes(world: World, onConnections: (change: 1 | -1) => void): ServiceRoutes {
  const instances = new InstanceService(world, onConnections);
  return {
    routes: [...resources.flatMap((factory) => factory(world)), ...instances.routes],
    instances,
    close: () => instances.close(),
  };
}

/** Everything about an account that is not an offer, an instance or an SSH key. */
function accountResources(world: World): Route[] {
  const secondFactor = registerSecondFactor(world);
  return [
    ...userRoutes(world, secondFactor),
    ...secondFactorRoutes(world, secondFactor, reportedTokens(randomTokens, world.options.onToken)),
    ...apiKeyRoutes(world),
    ...secretRoutes(world),
    ...notificationRoutes(world),
    ...teamRoleRoutes(world),
    ...templateRoutes(world),
    ...machineRoutes(world, world.market),
    ...metricsRoutes(world, world.market),
    ...earningsRoutes(world, world.market),
    ...chargeRoutes(world),
    ...invoiceRoutes(world),
    ...auditRoutes(world),
    ...deploymentRoutes(world),
    ...volumeRoutes(world, world.market),
    ...accountControlRoutes(world, secondFactor),
  ];
}
