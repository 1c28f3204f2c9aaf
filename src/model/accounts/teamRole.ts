/** See docs/service/team-roles.md#record. */
export interface TeamRole {
  readonly id: number;
  readonly name: string;
  readonly permissions: readonly string[];
}
