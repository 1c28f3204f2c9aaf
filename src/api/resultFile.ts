import { wait } from '../util/clock';
import { isLoopback } from '../util/loopback';
import { text } from '../util/text';
import { NotReachableError, NotUnderstoodError, ServiceFailedError, TimedOutError } from './errors';
import { exchange, type ExchangeParts } from './exchange';
import type { CallOptions } from './http';
import type { HttpPolicy } from './policy';

export interface ResultParts extends ExchangeParts {
  readonly baseUrl: URL;
  readonly policy: HttpPolicy;
}

const route = 'GET result_url';

/**
 * Reads the file behind a `result_url`. It appears some seconds after the call that named it, and answers 403
 * or 404 until then (docs/service/commands.md#result-file). The request carries no key. Throws
 * `TimedOutError` when the file does not appear, `CancelledError` when cancelled.
 */
export async function fetchResult(
  address: string,
  options: CallOptions,
  parts: ResultParts,
): Promise<string> {
  const url = checkedUrl(address, parts.baseUrl);
  const { clock, policy } = parts;
  const until = clock.elapsed() + policy.resultWaitMs;
  for (let pauseMs = policy.resultPollMs; ; pauseMs = Math.min(pauseMs * 2, policy.resultPollMs * 8)) {
    const found = await readOnce(url, parts, options.signal);
    if (found !== undefined) {
      return found;
    }
    if (clock.elapsed() + pauseMs > until) {
      throw new TimedOutError({
        route,
        text: text('The output was not written in time. The instance may be busy; try again.'),
      });
    }
    await wait(clock, pauseMs, options.signal);
  }
}

/** Returns the text, or `undefined` while it may still appear. */
async function readOnce(url: URL, parts: ResultParts, signal?: AbortSignal): Promise<string | undefined> {
  try {
    const response = await exchange(
      {
        method: 'GET',
        url,
        headers: { accept: 'text/plain, */*' },
        route,
        // A store may lead to the one of its region. The request carries nothing that may not go there.
        follows: (target) => checkedUrl(target?.href, parts.baseUrl),
        timeoutMs: parts.policy.timeoutMs,
        maxBytes: parts.policy.resultMaxBytes,
      },
      parts,
      signal,
    );
    if (response.status === 200) {
      return response.text;
    }
    if (response.status === 403 || response.status === 404 || response.status === 429) {
      return undefined;
    }
    if (response.status >= 500) {
      throw new ServiceFailedError({ route, status: response.status });
    }
    throw new NotUnderstoodError({ route, status: response.status });
  } catch (error) {
    const mayPass =
      error instanceof ServiceFailedError ||
      error instanceof TimedOutError ||
      (error instanceof NotReachableError && error.transient);
    if (mayPass) {
      return undefined;
    }
    throw error;
  }
}

/** https, or the very origin of a service on loopback; nothing else is worth trusting. */
function checkedUrl(address: string | undefined, baseUrl: URL): URL {
  const url = address !== undefined && URL.canParse(address) ? new URL(address) : undefined;
  const ownLoopback = url !== undefined && isLoopback(url.hostname) && url.origin === baseUrl.origin;
  if (!url || url.username !== '' || url.password !== '' || (url.protocol !== 'https:' && !ownLoopback)) {
    throw new NotUnderstoodError({
      route,
      text: text('The service named an output address that is not safe to open. Try again later.'),
    });
  }
  return url;
}
