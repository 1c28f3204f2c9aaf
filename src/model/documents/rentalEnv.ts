import { text, type Text } from '../../util/text';

/**
 * Returns why a rental can't take an entry of its environment: names are those of variables, or `-p host:container` with
 * the value 1 (docs/service/renting.md#request).
 */
export function rentalEnvProblem(name: string, value: string): Text | undefined {
  const isPort = /^-p \d{1,5}:\d{1,5}(\/(tcp|udp))?$/.test(name);
  if (!isPort && !/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name)) {
    return text('"{0}" is not a name for an environment variable. Correct it and try again.', name);
  }
  return isPort && value !== '1'
    ? text('The port mapping "{0}" needs the value 1. Correct it and try again.', name)
    : undefined;
}
