/** What the test of these connections loads as one, so that both know the same class of errors. */
export { NotebookConnections } from '../../src/features/notebooks/connections';
export { HostKeyError } from '../../src/ssh/hostKey';
