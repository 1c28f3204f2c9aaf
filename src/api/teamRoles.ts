import type { TeamRole } from '../model/accounts/teamRole';
import { teamRole, teamRoleList, type WireTeamRole } from '../wire/teamRole';
import type { Client } from './client';
import type { Http } from './http';
import { readList } from './listing';
import { read } from './request';

/** Looks up one role and lists all (docs/service/team-roles.md#look-up). */
export function teamRolesApi(http: Http): Client['teamRoles'] {
  return {
    get: async (name, options) => {
      const request = read('GET /api/v0/team/roles/{id}/', { id: name });
      return toTeamRole(await http.call(request, teamRole, options));
    },
    list: (options) =>
      readList(http, read('GET /api/v0/team/roles-full/'), teamRoleList, teamRole, toTeamRole, options),
  };
}

function toTeamRole(wire: WireTeamRole): TeamRole {
  return { id: wire.id, name: wire.name ?? '', permissions: permissionNames(wire.permissions) };
}

/** Documented as texts; keys of an object are understood as well. */
function permissionNames(value: unknown): readonly string[] {
  if (Array.isArray(value)) {
    return value.filter((each) => typeof each === 'string');
  }
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  const inner: unknown = 'api' in value ? value.api : value;
  return typeof inner === 'object' && inner !== null ? Object.keys(inner) : [];
}
