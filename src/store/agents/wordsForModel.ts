import { ApiError } from '../../api/errors';
import { NotAllowedNowError } from './agentDesk';

/** Returns the message of an error for a model, without text from the service, which is untrusted. */
export function wordsForModel(error: unknown): string {
  if (error instanceof NotAllowedNowError) {
    return error.problem;
  }
  const words = error instanceof Error ? error.message : String(error);
  const said = error instanceof ApiError ? (error.serviceText ?? '') : '';
  return said === '' ? words : words.replaceAll(said, 'see the log of GPU Rental');
}
