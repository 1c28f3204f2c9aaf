/** interface: Team role. */
export interface TeamRole {
  readonly id: number;
  readonly name: string;
  readonly permissions: readonly string[];
}
