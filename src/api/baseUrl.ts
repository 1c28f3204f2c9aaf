import { UserError } from '../util/errors';
import { isLoopback } from '../util/loopback';
import { text } from '../util/text';

/** The service address can't be used; the text explains why. */
export class ServiceAddressError extends UserError {}

/**
 * Checks a service address. Throws `ServiceAddressError` unless it is https, or http on loopback,
 * without user name, query or fragment. A path prefix is kept; the final slash is dropped.
 */
export function parseBaseUrl(address: string): URL {
  let url: URL;
  try {
    url = new URL(address.trim());
  } catch {
    throw new ServiceAddressError(
      text(
        '"{0}" is not a web address. Enter one such as https://console.example.com.',
        address.slice(0, 100),
      ),
      { nextStep: 'openSettings' },
    );
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new ServiceAddressError(
      text('The service address may not contain a user name, a password, a query or a fragment. Remove it.'),
      { nextStep: 'openSettings' },
    );
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new ServiceAddressError(
      text('The API key is sent over https only. Enter an address that begins with https://.'),
      { nextStep: 'openSettings' },
    );
  }
  url.pathname = url.pathname.replace(/(?<!\/)\/+$/, '');
  return url;
}

/** Returns the URL of a path of the service, below the prefix of the base. */
export function resolveUrl(
  base: URL,
  path: string,
  query: Readonly<Record<string, string | number | undefined>> = {},
): URL {
  const url = new URL(base.href);
  url.pathname = base.pathname.replace(/(?<!\/)\/+$/, '') + path;
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) {
      url.searchParams.set(name, String(value));
    }
  }
  return url;
}
