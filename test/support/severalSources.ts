/** One bundle of what is done on several instances at once, on one screen. */
export { onSeveral } from '../../src/features/engines/onSeveral';
export { logsOfSeveral, runOnSeveral } from '../../src/features/engines/severalCommands';
export { runOwnCommandsFrom } from '../../src/editor/commands';
export { setWindowClock } from '../../src/editor/windowClock';
export { CancelledError, UserError } from '../../src/util/errors';
