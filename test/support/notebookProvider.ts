/** What the test of the kernel picker loads as one, so that both know the same class of errors. */
export { candidatesOf, ServerProvider } from '../../src/notebooks/ui/serverProvider';
export { JupyterMissingError, NoLoginYetError } from '../../src/notebooks/ui/connections';
export { HostKeyError } from '../../src/ssh/hostKey';
export { CancelledError } from '../../src/util/errors';
