import { UserError } from '../util/errors';
import { text } from '../util/text';
import { exchange, type ExchangeParts } from './exchange';

/** Code hosts that publish the SSH keys of their users at `/<name>.keys`. */
export const codeHosts = { GitHub: 'https://github.com', GitLab: 'https://gitlab.com' } as const;

/** Account names of both hosts. */
export const codeHostName = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,253}[A-Za-z0-9])?$/;

const timeoutMs = 15_000;
/** More than the keys that a person has; a page in their place is larger. */
const maxBytes = 100_000;

/**
 * Returns the lines of public keys that an account publishes; empty if it has none. The request carries no key.
 * Throws an error with a text if there is no such account or no answer.
 */
export async function codeHostKeys(
  origin: string,
  name: string,
  parts: ExchangeParts,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const response = await exchange(
    {
      method: 'GET',
      url: new URL(`/${encodeURIComponent(name)}.keys`, origin),
      headers: { accept: 'text/plain' },
      route: 'GET public keys',
      timeoutMs,
      maxBytes,
    },
    parts,
    signal,
  );
  if (response.status === 404) {
    throw new UserError(text('{0} has no account {1}.', new URL(origin).host, name));
  }
  if (response.status !== 200) {
    throw new UserError(
      text('{0} did not answer as expected. Paste the key, or use a file.', new URL(origin).host),
    );
  }
  return response.text.split(/\r?\n/).filter((line) => line.trim() !== '');
}
