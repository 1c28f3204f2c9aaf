import { text, type Text } from '../../util/text';

const longestKeyName = 255;

export function keyNameProblem(value: string): Text | undefined {
  return value.length > longestKeyName ? text('At most {0} characters.', longestKeyName) : undefined;
}

/** Splits addresses at commas, semicolons and spaces. */
export function splitAddresses(value: string): readonly string[] {
  return value.split(/[\s,;]+/).filter((each) => each !== '');
}

/** Returns what is wrong with the addresses. `isIp` checks a single address. */
export function addressesProblem(value: string, isIp: (address: string) => boolean): Text | undefined {
  const wrong = splitAddresses(value).find((address) => !isIp(address));
  return wrong === undefined
    ? undefined
    : text('{0} is not an IP address. Enter addresses such as 203.0.113.7, separated by commas.', wrong);
}

/**
 * Returns the problem with the name of a variable. The service stores names in upper case
 * (docs/service/environment-variables.md#names-and-values).
 */
export function secretNameProblem(value: string): Text | undefined {
  const name = value.trim();
  if (name === '') {
    return text('Enter a name, for example HF_TOKEN.');
  }
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return text("Use letters, digits and underscores. A name can't begin with a digit.");
  }
  return name.length > 255 ? text('At most {0} characters.', 255) : undefined;
}

export function secretValueProblem(value: string): Text | undefined {
  if (value === '') {
    return text('Enter a value.');
  }
  return /^[A-Za-z0-9_.-]+$/.test(value)
    ? undefined
    : text('The service allows only letters, digits and the characters _ . - in a value.');
}
