/** One bundle of looking for a machine for a job, with the commands that it runs. */
export { rentForJob } from '../../src/features/workspaceFile/rentForWorkspace';
export { runOwnCommandsFrom } from '../../src/editor/commands';
