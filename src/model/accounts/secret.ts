import { UserError } from '../../util/errors';
import { text } from '../../util/text';

/** An environment variable of the account, which its instances receive (docs/service/environment-variables.md#list). */
export interface Secret {
  readonly name: string;
  /** Absent if the service masks it. Never logged, and shown only on request. */
  readonly value?: string;
}

/** Returns the variable of this name. @throws UserError if the account has none, as after a deletion elsewhere. */
export function secretNamed(secrets: readonly Secret[], wanted: string): Secret {
  const found = secrets.find(({ name }) => name === wanted);
  if (!found) {
    throw new UserError(text('This no longer exists. Refresh the list.'));
  }
  return found;
}
