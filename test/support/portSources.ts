/** One bundle of forwarded ports, with the commands that they run. */
export { register } from '../../src/features/ports';
export { runOwnCommandsFrom } from '../../src/editor/commands';
