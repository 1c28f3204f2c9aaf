import { apiKeyRoutes } from './apiKeys';
import { chargeRoutes } from './billing/chargeRoutes';
import { accountControlRoutes } from './control/accountControls';
import { deploymentRoutes } from './deployments';
import { earningsRoutes } from './hosting/earningsRoutes';
import { machineRoutes } from './hosting/machineRoutes';
import { metricsRoutes } from './hosting/metricsRoutes';
import type { Route } from './route';
import { secretRoutes } from './secrets';
import { teamRoleRoutes } from './teamRoles';
import { templateRoutes } from './templates/templateRoutes';
import { tfaRoutes } from './tfa/routes';
import { registerTfa } from './tfa/sessions';
import { userRoutes } from './users';
import { randomTokens, toldTokens } from './tfa/tokens';
import { volumeRoutes } from './volumes/volumeRoutes';
import type { World } from './world';

/** Everything about an account that is not an offer, an instance or an SSH key. */
export function accountResources(world: World): Route[] {
  const tfa = registerTfa(world);
  return [
    ...userRoutes(world, tfa),
    ...tfaRoutes(world, tfa, toldTokens(randomTokens, world.options.onToken)),
    ...apiKeyRoutes(world),
    ...secretRoutes(world),
    ...teamRoleRoutes(world),
    ...templateRoutes(world),
    ...machineRoutes(world, world.market),
    ...metricsRoutes(world, world.market),
    ...earningsRoutes(world, world.market),
    ...chargeRoutes(world),
    ...deploymentRoutes(world),
    ...volumeRoutes(world, world.market),
    ...accountControlRoutes(world, tfa),
  ];
}
