/** One bundle of both, so that the same classes of errors are known to both. */
export { ForbiddenError, NotReachableError, RefusedError, UnauthorizedError } from '../../src/api/errors';
export { factorFailureText, isAboutRequest, isFinal } from '../../src/features/security/failures';
