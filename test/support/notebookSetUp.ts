/** What the test of the set-up loads as one, so that the set-up runs the commands of the test. */
export { runOwnCommandsFrom } from '../../src/editor/commands';
export { JupyterMissingError } from '../../src/notebooks/ui/connections';
export { setUpServer } from '../../src/notebooks/ui/setUp';
