/** One bundle of what looks again after a change, on one screen. */
export { tellKeyTrouble } from '../../src/features/account/keyTrouble';
export { adaptToKey } from '../../src/features/account/keyAdaptation';
export { showAgentStatus } from '../../src/features/agentsView/agentStatus';
export { register as warnOfBudget } from '../../src/features/budget';
export { registerConflicts } from '../../src/features/documents/conflictCommands';
export { register as showHosting } from '../../src/features/hosting';
export { ListAge } from '../../src/features/hosting/listAge';
export { register as showInstances } from '../../src/features/instances';
export { tellFirstSteps } from '../../src/features/instances/firstSteps';
export { register as showJobs } from '../../src/features/jobs';
export { showJobStatus } from '../../src/features/jobs/jobStatus';
export { watchPresence } from '../../src/features/leases/presenceWatch';
export { tellUnreadable } from '../../src/features/leases/unreadableLeases';
export { register as warn } from '../../src/features/warnings';
