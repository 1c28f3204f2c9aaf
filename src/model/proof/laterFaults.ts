import type { MachineProof } from './machineProof';
import { verdictOn, type Difference, type ExpectedMachine } from './verdict';

/**
 * Returns what a machine that runs has lost since its start. What it lacked then is known, and what the user's own files
 * or programs may cause is no fault of the machine: a smaller disk, a driver's tool without an answer.
 */
export function laterFaults(
  start: MachineProof | undefined,
  later: MachineProof,
  expected: ExpectedMachine,
): readonly Difference[] {
  const gpuCount = Math.max(expected.gpuCount ?? 0, start?.gpus.length ?? 0);
  const now = { ...expected, ...(gpuCount > 0 ? { gpuCount } : {}) };
  const known = new Set(start ? verdictOn(start, now).differences.map(faultKey) : []);
  return verdictOn(later, now).differences.filter((one) => isLater(one) && !known.has(faultKey(one)));
}

function isLater(difference: Difference): boolean {
  switch (difference.kind) {
    case 'noGpu':
    case 'gpuCount':
    case 'diskFull':
      return true;
    case 'fault':
      // A driver's tool that does not answer says nothing.
      return difference.fault.kind !== 'smiHung';
    case 'gpuModel':
    case 'gpuMemory':
    case 'migEmpty':
    case 'diskSize':
    case 'diskShared':
      return false;
  }
}

/** Names a fault without the figures that grow while it lasts. */
export function faultKey(difference: Difference): string {
  if (difference.kind === 'fault') {
    const { kind, gpu = '', number = '' } = difference.fault;
    return [kind, gpu, kind === 'xid' ? number : ''].join(' ').trim();
  }
  return difference.kind === 'gpuCount' ? `${difference.kind} ${difference.found}` : difference.kind;
}
