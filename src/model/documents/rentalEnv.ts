import { text, type Text } from '../../util/text';
import { findReference } from '../templates/templateReference';

/**
 * Returns why a rental can't take an entry of its environment: names are those of variables, `-p host:container` with
 * the value 1 (docs/service/renting.md#request), or `-h` with a host name. Only the save of a template replaces references by their values.
 */
export function rentalEnvProblem(name: string, value: string): Text | undefined {
  const isPort = /^-p \d{1,5}:\d{1,5}(\/(tcp|udp))?$/.test(name);
  if (name === '-h') {
    return /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(value)
      ? undefined
      : text('"{0}" is not a host name. Use letters, digits, hyphens and dots.', value);
  }
  if (!isPort && !/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name)) {
    return text('"{0}" is not a name for an environment variable. Correct it and try again.', name);
  }
  if (isPort && value !== '1') {
    return text('The port mapping "{0}" needs the value 1. Correct it and try again.', name);
  }
  return findReference(value) === undefined
    ? undefined
    : text(
        '"{0}" refers to a secret of a template, and only a template can send it. Set "{0}" in the template or make it an account secret.',
        name,
      );
}
