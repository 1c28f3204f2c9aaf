/** The problems that the service takes, in its own words: the owner of the machine reads them. */
export const reportedProblems = [
  'Unable To Start Instance',
  'Instance Takes Too Long To Load',
  'Instance Has Less Disk Space Than Requested',
  'Machine Has Port Issues',
  'Machine Performance Is Less Than Expected',
  'Other',
] as const;
export type ReportedProblem = (typeof reportedProblems)[number];

/** The longest message that the service takes (docs/service/instances.md#report-its-machine). */
export const longestReport = 512;

/** What the owner of a machine is told. */
export interface MachineReport {
  readonly machineId: number;
  readonly problem: ReportedProblem;
  readonly message: string;
}
