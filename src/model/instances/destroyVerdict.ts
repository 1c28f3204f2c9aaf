import { text, type Text } from '../../util/text';

/** Returns the message after a read confirmed that the service no longer lists the instances. */
export function destroyedText(names: readonly string[]): Text {
  return text('Destroyed, and no longer listed by the service: {0}', names.join(', '));
}

/** Returns the message for when the service still lists the instance after the request, or did not answer. */
export function notConfirmedText(name: string): Text {
  return text('The service has not confirmed that {0} is destroyed. A message appears if it remains.', name);
}
