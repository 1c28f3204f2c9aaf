/** One bundle of both, so that the same class of errors is known to both. */
export { RefusedError, NotReachableError } from '../../src/api/errors';
export { tellWhatFailed } from '../../src/features/lifecycle/powerOutcome';
export { CancelledError } from '../../src/util/errors';
