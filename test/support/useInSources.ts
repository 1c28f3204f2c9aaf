/** One bundle of handing a group to a tool, with the commands that it runs. */
export { useInstancesIn, useSetIn } from '../../src/features/engines/useIn';
export { runOwnCommandsFrom } from '../../src/editor/commands';
