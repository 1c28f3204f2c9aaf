/** What the test of the kernel picker loads as one, so that both know the same class of errors. */
export { candidatesOf, ServerProvider } from '../../src/features/notebooks/serverProvider';
export { HostKeyError } from '../../src/ssh/hostKey';
