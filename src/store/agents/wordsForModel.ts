import { ApiError } from '../../api/errors';

/** The words of an error for a model, without those that the service wrote: they may be a stranger's. */
export function wordsForModel(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  const said = error instanceof ApiError ? (error.serviceText ?? '') : '';
  return said === '' ? words : words.replaceAll(said, 'see the log of GPU Rental');
}
