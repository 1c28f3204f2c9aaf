import * as z from 'zod';
import { id, looseList, texts } from './field';

/** `permissions` is documented as texts; an object is kept as it is (docs/service/team-roles.md#record). */
export const teamRole = z.looseObject({ id, ...texts('name'), permissions: z.unknown().optional() });
export type WireTeamRole = z.infer<typeof teamRole>;

/** GET team/roles-full: a bare array or an object around it (docs/service/team-roles.md#list). */
export const teamRoleList = looseList('roles');
