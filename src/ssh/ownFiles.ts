import { UserError } from '../util/errors';
import { localProblem } from '../util/localProblem';
import { text, type Text } from '../util/text';

/** This computer does not let our SSH files be read or written, so that no entry of an instance can be prepared. */
export class OwnFilesError extends UserError {
  constructor(ownDir: string, why: Text, cause: unknown) {
    super(text('Could not use the SSH files in {0}. {1}', ownDir, why), { cause, nextStep: 'retry' });
  }
}

/** Runs an action on our SSH files. If the disk refuses it, the error names the reason and what helps. */
export async function withOwnFiles<T>(ownDir: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const why = error instanceof UserError ? undefined : localProblem(error);
    throw why ? new OwnFilesError(ownDir, why, error) : error;
  }
}
