import { callerOf, ok, route, ServiceError, type Route } from './route';
import type { World } from './world';

interface Role {
  id: number;
  name: string;
  permissions: string[];
}

interface RoleState {
  byAccount: Record<string, Role[] | undefined>;
}

/** Roles that every account begins with. */
function firstRoles(): Role[] {
  return [
    {
      id: 1,
      name: 'team_owner',
      permissions: ['team_read', 'team_write', 'instance_read', 'instance_write', 'billing_read'],
    },
    { id: 2, name: 'ML engineer', permissions: ['misc', 'instance_read', 'instance_write', 'user_read'] },
    { id: 3, name: 'Finance & audit', permissions: ['billing_read', 'user_read'] },
  ];
}

/** GET team/roles/{name} and the list (docs/service/team-roles.md#look-up). */
export function teamRoleRoutes(world: World): Route[] {
  const state = world.section<RoleState>('teamRoles', () => ({ byAccount: {} }));
  const rolesOf = (accountId: number) => (state.byAccount[accountId] ??= firstRoles());
  return [
    route(
      'GET /api/v0/team/roles/{id}/',
      { permission: 'team_read', endpoint: 'api.team.roles' },
      (request) => {
        const name = request.params['id'];
        const role = rolesOf(callerOf(request).accountId).find((each) => each.name === name);
        if (!role) {
          throw new ServiceError(404, 'not_found', 'Role not found');
        }
        return ok(role);
      },
    ),
    route(
      'GET /api/v0/team/roles-full/',
      { permission: 'team_read', endpoint: 'api.team.roles' },
      (request) => ok(rolesOf(callerOf(request).accountId)),
    ),
  ];
}
