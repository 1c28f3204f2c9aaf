import * as z from 'zod';
import { id, looseList, looseMembers, numbers, texts } from './field';

/** A person of a team (docs/service/team-roles.md#members). */
export const teamMember = z.looseObject({
  id,
  ...texts('username', 'email', 'fullname', 'role'),
  roles: looseMembers(z.string()),
});
export type WireTeamMember = z.infer<typeof teamMember>;
export const teamMemberList = looseList('members');

/** What a team can spend (docs/service/team-roles.md#balances). */
export const teamBalance = z.looseObject({ team_id: id, ...texts('team_name'), ...numbers('balance') });
export type WireTeamBalance = z.infer<typeof teamBalance>;
export const teamBalanceList = looseList('balances');
