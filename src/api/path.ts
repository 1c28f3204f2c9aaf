import { text } from '../util/text';
import { NotSentError } from './errors';

/**
 * Builds a request path; every value is percent-encoded as one segment. A value that would change
 * the path (empty, `.` or `..`) throws `NotSentError`.
 */
export function path(literals: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return literals.reduce((before, literal, index) => `${before}${segment(values[index - 1])}${literal}`);
}

function segment(value: string | number | undefined): string {
  const name = String(value);
  // `..` stays a parent folder for URL parsers even when its dots are percent-encoded.
  if (value === undefined || name === '' || name === '.' || name === '..') {
    throw new NotSentError(
      text('"{0}" is not a name that the service can look up. Enter another name.', name),
    );
  }
  return encodeURIComponent(name);
}
