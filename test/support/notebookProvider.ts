/** What the test of the kernel picker loads as one, so that both know the same class of errors. */
export { candidatesOf, ServerProvider } from '../../src/features/notebooks/serverProvider';
export { JupyterMissingError, NoLoginYetError } from '../../src/features/notebooks/connections';
export { HostKeyError } from '../../src/ssh/hostKey';
export { CancelledError } from '../../src/util/errors';
