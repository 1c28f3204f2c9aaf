/** One bundle of what is done with secrets of documents. */
export { applySecretFix } from '../../src/features/documents/secretFixes';
export { useSecret } from '../../src/features/documents/secretUse';
export { RefusedError, TimedOutError } from '../../src/api/errors';
