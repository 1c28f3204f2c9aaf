import * as z from 'zod';
import { startCauseOf, type InstanceFacts } from '../instances/instanceState';
import { machineProofShape, type ProofStage } from '../proof/machineProof';

/** The stages of a check, in order, once the service reports `running`. */
const checkStages = ['port', 'login', 'gpu'] as const satisfies readonly ProofStage[];
export type CheckStage = ProofStage;

const machineProblems = [
  'refused',
  'timedOut',
  'noGreeting',
  'authentication',
  'hostKeyChanged',
  /** At first contact, the host key was not the one in the machine's log. */
  'hostKeyNotPrinted',
  'startupScript',
  'other',
  /** The connection ended while the GPUs were checked. */
  'cut',
  /** Not even a small file fits on its disk. */
  'noRoom',
] as const;
export type MachineProblem = (typeof machineProblems)[number];

/**
 * Why a stage is not complete. A booting machine has most of these problems for a few seconds. The last ones are not
 * the machine's: this computer has no network, or another window or computer is checking it.
 */
const checkProblems = [...machineProblems, 'unreachable', 'busy'] as const;
export type CheckProblem = (typeof checkProblems)[number];

/** Why no login was tried, or why it shows nothing about the machine. */
const notCheckedReasons = [
  'consent',
  'noKey',
  'lockedKey',
  /** The machine knows the key; its agent is locked, or its prompt was not answered. */
  'unsignedKey',
  'unprotectedKey',
  /** Its file is damaged or in a format that ssh does not read, for example. */
  'unusableKey',
  'noClient',
  'noAddress',
  'config',
  'network',
  'busy',
  'failed',
] as const;
export type NotCheckedReason = (typeof notCheckedReasons)[number];

/** A running machine that has not proved yet that it can be used; plain data, so that it survives a restart. */
export const machineCheckShape = z
  .object({
    stage: z.enum(checkStages),
    /** When it was first seen running, in milliseconds since 1970. */
    runningAt: z.number(),
    /** When the stage began. */
    since: z.number(),
    problem: z.enum(checkProblems).exactOptional(),
    /** The message of ssh or the machine, made safe to show. */
    detail: z.string().exactOptional(),
  })
  .readonly();
export type MachineCheck = z.infer<typeof machineCheckShape>;

/** The result of a machine's check; plain data. */
export const checkResult = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('proved'), proof: machineProofShape }),
  z.object({
    kind: z.literal('notChecked'),
    reason: z.enum(notCheckedReasons),
    detail: z.string().exactOptional(),
  }),
  /** Its time is over, and a stage is not complete. */
  z.object({
    kind: z.literal('unproved'),
    stage: z.enum(checkStages),
    problem: z.enum(machineProblems),
    detail: z.string().exactOptional(),
  }),
]);
export type CheckResult = Readonly<z.infer<typeof checkResult>>;

/** The result of one try; after `waits`, a later try may get further. */
export type CheckAnswer =
  | CheckResult
  | {
      readonly kind: 'waits';
      readonly stage: CheckStage;
      readonly problem: CheckProblem;
      readonly detail?: string;
    };

/** The usual duration of a stage (ms); a longer one is shown with its reason. */
const usualMs: Readonly<Record<CheckStage, number>> = { port: 15_000, login: 15_000, gpu: 15_000 };

/** How long after `running` was first seen a refused login is normal, because the server is still starting (ms). */
export const bootPatienceMs = 60_000;
/** Returns whether a refused login may come from a machine that is still starting. */
export function isBooting({ runningAt = 0, lastRequest }: InstanceFacts, now: number): boolean {
  const askedAt = lastRequest && startCauseOf(lastRequest) !== undefined ? lastRequest.at : 0;
  return Math.abs(now - Math.max(runningAt, askedAt)) < bootPatienceMs;
}

/** The limit of a whole check, even if a machine falls back to earlier stages (ms). */
const longestCheckMs = 3 * bootPatienceMs;

export function beginCheck(now: number): MachineCheck {
  return { stage: 'port', runningAt: now, since: now };
}

/** Records the stage that a try is in, or at which it ended. */
export function advanceCheck(
  check: MachineCheck,
  { stage, problem, detail }: Pick<MachineCheck, 'stage' | 'problem' | 'detail'>,
  now: number,
): MachineCheck {
  return {
    stage,
    // The minimum keeps a clock that was set back from extending the check.
    runningAt: Math.min(check.runningAt, now),
    since: stage === check.stage ? Math.min(check.since, now) : now,
    ...(problem === undefined ? {} : { problem }),
    ...(detail === undefined || detail === '' ? {} : { detail }),
  };
}

/** Returns a check whose times of day are moved by a number of milliseconds, as the clock was. */
export function movedCheck(check: MachineCheck, byMs: number): MachineCheck {
  return { ...check, runningAt: check.runningAt + byMs, since: check.since + byMs };
}

/** Returns the result of a check whose time is over. */
export function overResult({ stage, problem, detail }: Extract<CheckAnswer, { kind: 'waits' }>): CheckResult {
  if (problem === 'unreachable' || problem === 'busy') {
    return { kind: 'notChecked', reason: problem === 'busy' ? 'busy' : 'network' };
  }
  return { kind: 'unproved', stage, problem, ...(detail === undefined ? {} : { detail }) };
}

/** Returns whether the check has used all its time. */
export function isCheckOver({ since, runningAt }: MachineCheck, now: number): boolean {
  return now - since >= bootPatienceMs || now - runningAt >= longestCheckMs;
}

export function isCheckLong({ stage, since }: MachineCheck, now: number): boolean {
  return now - since >= usualMs[stage];
}
