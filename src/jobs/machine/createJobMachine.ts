import { lookAtJob } from './jobLook';
import type { JobMachine } from './jobMachine';
import { fetchOutputs, listCheckpoint, listOutputs } from './jobOutputs';
import { listJobs } from './otherJobs';
import { beginJob, cancelJob, giveMoreTime, markJobFetched, removeJob, startJob } from './jobSteps';
import { syncJob } from './jobSync';
import type { MachineCall } from './machineCall';

/** Returns the machine behind an alias. */
export function createJobMachine(call: MachineCall): JobMachine {
  return {
    begin: (order, signal) => beginJob(call, order, signal),
    sync: (order, tree, options = {}) => syncJob(call, order, tree, options),
    start: (order, signal) => startJob(call, order, signal),
    look: (id, offset, maxBytes, signal) => lookAtJob(call, id, offset, maxBytes, signal),
    cancel: (id, signal) => cancelJob(call, id, signal),
    extend: (id, seconds, signal) => giveMoreTime(call, id, seconds, signal),
    outputs: (id, patterns, signal) => listOutputs(call, id, patterns, signal),
    checkpoint: (id, patterns, signal) => listCheckpoint(call, id, patterns, signal),
    fetch: (id, list, into, options = {}) => fetchOutputs(call, id, list, into, options),
    markFetched: (id, hash, signal) => markJobFetched(call, id, hash, signal),
    jobsThere: (signal) => listJobs(call, signal),
    remove: (id, signal) => removeJob(call, id, signal),
  };
}
