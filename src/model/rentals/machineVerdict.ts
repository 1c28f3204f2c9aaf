import type { Text } from '../../util/text';
import type { Instance } from '../instances/instance';
import { instanceName } from '../instances/instanceLabel';
import type { Offer } from '../offers/offer';
import { laterFaults } from '../proof/laterFaults';
import type { MachineProof } from '../proof/machineProof';
import { expectedOf, verdictOn, type Difference, type ProofVerdict } from '../proof/verdict';
import { verdictText } from '../proof/verdictText';
import type { CheckResult } from './machineCheck';
import { notCheckedText, unprovedText } from './machineCheckText';

/** Compares what was rented with what a check of the machine found. */
export function judgeProof(
  instance: Instance | undefined,
  offer: Offer | undefined,
  proof: MachineProof,
): { readonly verdict: ProofVerdict; readonly line: Text } {
  const expected = instance ? expectedOf(instance, offer) : {};
  const verdict = verdictOn(proof, expected);
  return { verdict, line: verdictText(proof, verdict, expected) };
}

/** Returns what a machine that runs has lost since its check, as the last probe found it. */
export function laterFaultsOf(
  instance: Instance,
  offer: Offer | undefined,
  row:
    | { readonly check: CheckResult; readonly later?: { readonly proof: MachineProof } | undefined }
    | undefined,
): readonly Difference[] {
  const start = row?.check.kind === 'proved' ? row.check.proof : undefined;
  return row?.later ? laterFaults(start, row.later.proof, expectedOf(instance, offer)) : [];
}

/** Returns whether a login worked and the machine is what was rented. A missing or impossible check is no pass. */
export function hasPassed(
  instance: Instance | undefined,
  offer: Offer | undefined,
  check: CheckResult | undefined,
): boolean {
  return check?.kind === 'proved' && judgeProof(instance, offer, check.proof).verdict.ok;
}

/** Returns one line for the tooltip, the details and the log. */
export function checkText(
  instance: Instance | undefined,
  offer: Offer | undefined,
  check: CheckResult,
): Text {
  switch (check.kind) {
    case 'proved':
      return judgeProof(instance, offer, check.proof).line;
    case 'notChecked':
      return notCheckedText(check.reason, check.detail);
    case 'unproved':
      return unprovedText(instance ? instanceName(instance) : '–', check.problem, check.detail);
  }
}
