import * as z from 'zod';
import { machineProofShape, type ProofStage } from '../proof/machineProof';
import { startCauseOf, type InstanceFacts } from '../instances/instanceState';

/** What is looked at once the service says `running`, in this order. */
const checkStages = ['port', 'login', 'gpu'] as const satisfies readonly ProofStage[];
export type CheckStage = ProofStage;

const machineProblems = [
  'refused',
  'timedOut',
  'noGreeting',
  'authentication',
  'hostKeyChanged',
  /** At the first contact it was not the one that the log of the machine names. */
  'hostKeyNotPrinted',
  'startupScript',
  'other',
  /** The connection ended while its GPUs were looked at. */
  'cut',
  /** Not even a small file fits on it. */
  'noRoom',
] as const;
export type MachineProblem = (typeof machineProblems)[number];

/**
 * Why a stage has not come to its end. A machine that boots has most of them for a few seconds; the last ones are none of
 * the machine: this computer has no network, or another window or computer looks at it.
 */
const checkProblems = [...machineProblems, 'unreachable', 'busy'] as const;
export type CheckProblem = (typeof checkProblems)[number];

/** Why no login was tried, or why it says nothing about the machine. */
const notCheckedReasons = [
  'consent',
  'noKey',
  'lockedKey',
  'noClient',
  'noAddress',
  'config',
  'network',
  'busy',
  'failed',
] as const;
export type NotCheckedReason = (typeof notCheckedReasons)[number];

/** A machine that runs and has not proved yet that it can be used; plain data, so that it survives a restart. */
export const machineCheckShape = z
  .object({
    stage: z.enum(checkStages),
    /** When it was first seen running, in milliseconds since 1970. */
    runningAt: z.number(),
    /** When the stage began. */
    since: z.number(),
    problem: z.enum(checkProblems).exactOptional(),
    /** What ssh or the machine said, made safe to show. */
    detail: z.string().exactOptional(),
  })
  .readonly();
export type MachineCheck = z.infer<typeof machineCheckShape>;

/** What the check of a machine came to; plain data. */
export const checkResult = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('proved'), proof: machineProofShape }),
  z.object({
    kind: z.literal('notChecked'),
    reason: z.enum(notCheckedReasons),
    detail: z.string().exactOptional(),
  }),
  /** It had its time, and a stage did not come to its end. */
  z.object({
    kind: z.literal('unproved'),
    stage: z.enum(checkStages),
    problem: z.enum(machineProblems),
    detail: z.string().exactOptional(),
  }),
]);
export type CheckResult = Readonly<z.infer<typeof checkResult>>;

/** What one try came to; one that waits may come to more a little later. */
export type CheckAnswer =
  | CheckResult
  | {
      readonly kind: 'waits';
      readonly stage: CheckStage;
      readonly problem: CheckProblem;
      readonly detail?: string;
    };

/** What most machines need; longer is worth a reason. */
const usualMs: Readonly<Record<CheckStage, number>> = { port: 15_000, login: 15_000, gpu: 15_000 };

/** For so long after the first sight of `running` a login that is refused is no error: its server still comes up. */
export const bootPatienceMs = 60_000;
/** Whether a login that is refused may be one of a machine that has not come up whole. */
export function isBooting({ runningAt = 0, lastRequest }: InstanceFacts, now: number): boolean {
  const askedAt = lastRequest && startCauseOf(lastRequest) !== undefined ? lastRequest.at : 0;
  return Math.abs(now - Math.max(runningAt, askedAt)) < bootPatienceMs;
}

/** However often a machine falls back to an earlier stage. */
const longestCheckMs = 3 * bootPatienceMs;

export function beginCheck(now: number): MachineCheck {
  return { stage: 'port', runningAt: now, since: now };
}

/** Takes in which stage a try is, or at which it ended. */
export function advanceCheck(
  check: MachineCheck,
  { stage, problem, detail }: Pick<MachineCheck, 'stage' | 'problem' | 'detail'>,
  now: number,
): MachineCheck {
  return {
    stage,
    // A clock that was set back counts anew.
    runningAt: Math.min(check.runningAt, now),
    since: stage === check.stage ? Math.min(check.since, now) : now,
    ...(problem === undefined ? {} : { problem }),
    ...(detail === undefined || detail === '' ? {} : { detail }),
  };
}

/** What a check comes to that had all its time. */
export function overResult({ stage, problem, detail }: Extract<CheckAnswer, { kind: 'waits' }>): CheckResult {
  if (problem === 'unreachable' || problem === 'busy') {
    return { kind: 'notChecked', reason: problem === 'busy' ? 'busy' : 'network' };
  }
  return { kind: 'unproved', stage, problem, ...(detail === undefined ? {} : { detail }) };
}

/** Whether it had all the time that it gets. */
export function isCheckOver({ since, runningAt }: MachineCheck, now: number): boolean {
  return now - since >= bootPatienceMs || now - runningAt >= longestCheckMs;
}

export function isCheckLong({ stage, since }: MachineCheck, now: number): boolean {
  return now - since >= usualMs[stage];
}
