/** One bundle of a remote window, with the commands that it runs. */
export { ConnectedWindow } from '../../src/features/connectedWindow/connectedWindow';
export { runOwnCommandsFrom } from '../../src/editor/commands';
