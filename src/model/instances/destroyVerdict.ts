import { text, type Text } from '../../util/text';

/** Returns the message after a read confirmed that the service no longer lists the instances. */
export function destroyedText(names: readonly string[]): Text {
  const [only = ''] = names;
  return names.length === 1
    ? text('{0} is destroyed: the service no longer lists it.', only)
    : text('{0} instances are destroyed: the service no longer lists them.', names.length);
}

/** Returns the message for when the service still lists the instance after the request, or did not answer. */
export function notConfirmedText(name: string): Text {
  return text('The service has not confirmed that {0} is destroyed. A message appears if it remains.', name);
}
