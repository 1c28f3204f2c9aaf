import { keyProblem, WrongPlaceError, type EditorPlace } from '../../model/accounts/editorPlace';
import type { SecretPort } from './patientSecrets';

/** Returns a secret store that refuses all access, with the reason, where no key may be read. */
export function guardedSecrets(secrets: SecretPort, place: EditorPlace): SecretPort {
  const problem = keyProblem(place);
  if (!problem) {
    return secrets;
  }
  const refuse = () => Promise.reject(new WrongPlaceError(problem));
  return {
    keys: refuse,
    get: refuse,
    store: refuse,
    delete: refuse,
    onDidChange: (listener) => secrets.onDidChange(listener),
  };
}
