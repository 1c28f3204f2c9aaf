import { machineEndOf, type JobRow } from './job';

/**
 * Returns whether outputs are missing, so that the user decides about the machine. A stop loses nothing, so the machine
 * of a job that failed before it wrote any does not wait at its price.
 */
export function areIncomplete({ job, state }: JobRow): boolean {
  const { files = 0, leftOut = 0 } = state.outputs ?? {};
  if (job.spec.outputs.length === 0 || (files > 0 && leftOut === 0)) {
    return false;
  }
  const mayStop = machineEndOf({ job, state }) === 'stop' && state.end?.why !== 'gone';
  return files > 0 || leftOut > 0 || !mayStop;
}
