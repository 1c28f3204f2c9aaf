/** What the test of these connections loads as one, so that both know the same class of errors. */
export { NotebookConnections } from '../../src/notebooks/ui/connections';
export { HostKeyError } from '../../src/ssh/hostKey';
