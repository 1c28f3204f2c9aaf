import * as z from 'zod';
import { id, looseString } from './field';

/** interface: Team role; `permissions` is documented as texts, an object is kept as it is. */
export const teamRole = z.looseObject({ id, name: looseString, permissions: z.unknown().optional() });
export type WireTeamRole = z.infer<typeof teamRole>;

/** GET team/roles-full (service-facts, table 1): a bare array or an object around it. */
export const teamRoleList = z.union([z.array(z.unknown()), z.looseObject({ roles: z.array(z.unknown()) })]);
