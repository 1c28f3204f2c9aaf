/** One bundle of the commands that choose a job, so that all of them show on one screen. */
export { extendJob } from '../../src/features/jobs/extendJob';
export { forgetJob } from '../../src/features/jobs/forgetJobs';
export {
  fetchJobOutputs,
  keepMachine,
  openOutputs,
  releaseMachine,
  rerun,
  retryJob,
  stopJob,
} from '../../src/features/jobs/jobCommands';
