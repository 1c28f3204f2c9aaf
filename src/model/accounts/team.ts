import type { Micros } from '../money';

/** A person of a team (docs/service/team-roles.md#members). */
export interface TeamMember {
  readonly id: number;
  readonly name?: string;
  readonly email?: string;
  /** The names of the roles. */
  readonly roles: readonly string[];
}

/** A team and what it can spend (docs/service/team-roles.md#balances). */
export interface TeamBalance {
  readonly id: number;
  readonly name?: string;
  /** `undefined` if the service does not state it. */
  readonly balance?: Micros;
}
