import { callerOf, ok, route, ServiceError, type Route } from './route';
import type { Account } from './state';
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

const reads = { permission: 'team_read', everySeconds: 2 } as const;

/** The people of the account's team, itself first (docs/service/team-roles.md#members). */
function membersOf({ id, username, email, fullName }: Account) {
  return [
    { id, username, email, fullname: fullName, roles: ['team_owner'] },
    { id: 4720, username: 'ben', email: 'ben@example.org', fullname: 'Ben Okafor', roles: ['ML engineer'] },
    {
      id: 4721,
      username: 'cy',
      email: 'cy@example.org',
      fullname: '',
      roles: ['ML engineer', 'Finance & audit'],
    },
  ];
}

/** GET team/roles/{name}, and the lists of roles, members and balances (docs/service/team-roles.md#look-up). */
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
    route('GET /api/v0/team/members/', { ...reads, endpoint: 'api.team.members' }, (request) =>
      ok(membersOf(world.account(callerOf(request).accountId))),
    ),
    route(
      'GET /api/v0/team/balances',
      { ...reads, permission: 'user_read', endpoint: 'api.team.balances' },
      (request) => {
        const { credit: balance } = world.account(callerOf(request).accountId);
        return ok({ success: true, balances: [{ team_id: 88, team_name: 'Lab', balance }] });
      },
    ),
  ];
}
