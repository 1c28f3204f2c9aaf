import { formatText } from '../../util/text';
import { longestReport, reportedProblems, type ReportedProblem } from '../instances/machineReport';
import type { Difference } from '../proof/verdict';
import { differenceText } from '../proof/verdictText';
import type { CheckResult } from './machineCheck';

/** What a report of a machine begins with; the user changes it before it is sent. */
export interface ReportDraft {
  /** All problems, the fitting one first. */
  readonly problems: readonly ReportedProblem[];
  /** In English, since the owner of the machine reads it. Nothing in it names this user, an address or a label. */
  readonly message: string;
}

/** Proposes a report by what a check, or a probe since then, found. */
export function reportDraft({
  faults,
  check,
  phase,
}: {
  readonly faults: readonly Difference[];
  readonly check: CheckResult | undefined;
  /** The phase of its rental. */
  readonly phase: { readonly kind: string; readonly reason?: unknown } | undefined;
}): ReportDraft {
  const fitting = problemOf(faults[0]) ?? checkProblem(check) ?? startProblem(phase) ?? 'Other';
  const others = reportedProblems.filter((one) => one !== fitting);
  const words = faults.map((one) => formatText(differenceText(one))).join('; ');
  return { problems: [fitting, ...others], message: words.slice(0, longestReport) };
}

function problemOf(fault: Difference | undefined): ReportedProblem | undefined {
  switch (fault?.kind) {
    case undefined:
      return undefined;
    case 'diskSize':
    case 'diskShared':
      return 'Instance Has Less Disk Space Than Requested';
    case 'noGpu':
    case 'gpuCount':
    case 'gpuModel':
    case 'gpuMemory':
      return 'Machine Performance Is Less Than Expected';
    case 'fault':
      return fault.fault.kind === 'slowed' ? 'Machine Performance Is Less Than Expected' : 'Other';
    case 'migEmpty':
    case 'diskFull':
      return 'Other';
  }
}

/** A login that fails for another reason may fail because of this computer. */
function checkProblem(check: CheckResult | undefined): ReportedProblem | undefined {
  return check?.kind === 'unproved' && check.stage === 'port' ? 'Machine Has Port Issues' : undefined;
}

function startProblem(phase: Parameters<typeof reportDraft>[0]['phase']): ReportedProblem | undefined {
  if (phase?.kind !== 'failed') {
    return undefined;
  }
  return phase.reason === 'timedOut' ? 'Instance Takes Too Long To Load' : 'Unable To Start Instance';
}
