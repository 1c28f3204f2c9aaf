/** One bundle of the command that stops what agents rented, with the command that it runs. */
export { stopAllOfAgents } from '../../src/features/agentsView/stopAll';
export { runOwnCommandsFrom } from '../../src/editor/commands';
