import type { TeamBalance, TeamMember } from '../model/accounts/team';
import { defined } from '../util/defined';
import {
  teamBalance,
  teamBalanceList,
  teamMember,
  teamMemberList,
  type WireTeamBalance,
  type WireTeamMember,
} from '../wire/team';
import type { Client, Listing } from './client';
import { NotFoundError } from './errors';
import type { Http } from './http';
import { readList } from './listing';
import { amount, nonEmpty } from './modelValues';
import { read } from './request';

/** Reads who is in a team, and what teams can spend. Nothing is changed: that is for the web console. */
export function teamApi(http: Http): Client['team'] {
  return {
    members: (options) => {
      const request = read('GET /api/v0/team/members/');
      return ofTeam(readList(http, request, teamMemberList, teamMember, toMember, options));
    },
    balances: (options) => {
      const request = read('GET /api/v0/team/balances');
      return ofTeam(readList(http, request, teamBalanceList, teamBalance, toBalance, options));
    },
  };
}

/** An account without a team is a 404 (docs/service/team-roles.md#balances). */
async function ofTeam<T>(list: Promise<Listing<T>>): Promise<Listing<T>> {
  try {
    return await list;
  } catch (error) {
    if (error instanceof NotFoundError) {
      return { items: [], skipped: 0 };
    }
    throw error;
  }
}

function toMember({ id, fullname, username, email, role, roles }: WireTeamMember): TeamMember {
  return defined<TeamMember>({
    id,
    name: nonEmpty(fullname) ?? nonEmpty(username),
    email: nonEmpty(email),
    roles: [...(role === undefined || role === '' ? [] : [role]), ...(roles ?? [])],
  });
}

function toBalance({ team_id: id, team_name: name, balance }: WireTeamBalance): TeamBalance {
  return defined<TeamBalance>({ id, name: nonEmpty(name), balance: amount(balance) });
}
