/** One bundle of timers on machines, with the commands that they run. */
export { arm, armExtended, check, disarm } from '../../src/features/leases/machineTimers';
export { runOwnCommandsFrom } from '../../src/editor/commands';
export { HostKeyError } from '../../src/ssh/hostKey';
export { leaseNote } from '../../src/features/leases/leaseWords';
