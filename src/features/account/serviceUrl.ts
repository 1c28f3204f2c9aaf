import { isLoopback } from '../../util/loopback';
import { text, type Text } from '../../util/text';

/** Returns why an address can't be a service; `undefined` if it can. Plain http is only for this computer. */
export function serviceUrlProblem(input: string): Text | undefined {
  let url: URL;
  try {
    url = new URL(input.trim());
  } catch {
    return text('Enter a full address, for example https://console.vast.ai');
  }
  if (url.username !== '' || url.password !== '') {
    return text('Remove the user name and password from the address.');
  }
  if (url.search !== '' || url.hash !== '') {
    return text('Remove "?" or "#" and everything after it from the address.');
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    return text('Use https. With http, others on the network can read your key.');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return text('The address must start with https://');
  }
  return undefined;
}

/** Removes the final slash and the part that all calls begin with; keeps a path prefix. */
export function normalizeServiceUrl(input: string): string {
  return new URL(input.trim())
    .toString()
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\/api\/v\d+$/, '');
}
