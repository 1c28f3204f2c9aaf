import { isDockerHub, type Snapshot } from '../model/snapshot';
import { UserError } from '../util/errors';
import { parseJson } from '../util/json';
import { isLoopback } from '../util/loopback';
import { text } from '../util/text';
import { registryToken, tagList } from '../wire/registry';
import { exchange, type ExchangeParts } from './exchange';
import type { TransportResponse } from './transport';

const timeoutMs = 20_000;
const maxBytes = 2_000_000;
const mostTags = 1_000;

export type RegistryPlace = Pick<Snapshot, 'registry' | 'repository' | 'user' | 'password'>;

/** The registry does not let this login list tags, as with a token that can only push. */
export class TagsHiddenError extends UserError {
  constructor(registry: string) {
    super(text('The login can push to {0}, but not list what is there.', registry));
  }
}

/**
 * Returns the tags of a repository, empty if there is none yet. The password is sent to the registry alone, or to the
 * place that the registry names for logins, over HTTPS. Throws `TagsHiddenError` if the login may not list, or an error
 * with a text.
 */
export async function registryTags(
  place: RegistryPlace,
  parts: ExchangeParts,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const origin = registryOrigin(place.registry);
  const url = new URL(`/v2/${place.repository}/tags/list?n=${mostTags}`, origin);
  const ask = (authorization?: string) => get(url, authorization, parts, signal);
  let response = await ask();
  if (response.status === 401) {
    const answer = await authorize(response, place, origin, parts, signal);
    response = await ask(answer);
  }
  if (response.status === 404) {
    return [];
  }
  if (response.status === 401 || response.status === 403) {
    throw new TagsHiddenError(place.registry);
  }
  const body = response.status === 200 ? tagList.safeParse(json(response)).data : undefined;
  if (!body) {
    throw new UserError(text('The registry {0} did not answer as expected.', place.registry));
  }
  return body.tags ?? [];
}

/** Returns where a registry answers; its proxy is chosen by that. */
export function registryOrigin(registry: string): URL {
  const host = isDockerHub(registry) ? 'registry-1.docker.io' : registry;
  const secure = new URL(`https://${host}`);
  return isLoopback(secure.hostname) ? new URL(`http://${host}`) : secure;
}

function get(
  url: URL,
  authorization: string | undefined,
  parts: ExchangeParts,
  signal: AbortSignal | undefined,
): Promise<TransportResponse> {
  const headers = {
    accept: 'application/json',
    ...(authorization === undefined ? {} : { authorization }),
  };
  return exchange(
    { method: 'GET', url, headers, route: 'GET registry tags', timeoutMs, maxBytes },
    parts,
    signal,
  );
}

/** Answers the challenge of a registry (distribution.github.io/distribution/spec/auth/token). */
async function authorize(
  { headers }: TransportResponse,
  place: RegistryPlace,
  origin: URL,
  parts: ExchangeParts,
  signal: AbortSignal | undefined,
): Promise<string> {
  const challenge = headers['www-authenticate'] ?? '';
  const basic = `Basic ${Buffer.from(`${place.user}:${place.password}`).toString('base64')}`;
  if (/^basic\b/i.test(challenge)) {
    return basic;
  }
  const field = (name: string) => new RegExp(`\\b${name}="([^"]{1,500})"`, 'i').exec(challenge)?.[1];
  const realm = field('realm');
  const url = realm !== undefined && URL.canParse(realm) ? new URL(realm) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.origin === origin.origin && isLoopback(url.hostname));
  if (!/^bearer\b/i.test(challenge) || !url || !isSafe) {
    throw new UserError(text('The registry {0} did not answer as expected.', place.registry));
  }
  url.searchParams.set('service', field('service') ?? '');
  url.searchParams.set('scope', `repository:${place.repository}:pull`);
  const response = await get(url, basic, parts, signal);
  const answer = response.status === 200 ? registryToken.safeParse(json(response)).data : undefined;
  const token = answer?.token ?? answer?.access_token;
  if (token === undefined || /[^\x21-\x7e]/.test(token)) {
    throw new TagsHiddenError(place.registry);
  }
  return `Bearer ${token}`;
}

function json({ text: body }: TransportResponse): unknown {
  try {
    return parseJson(body);
  } catch {
    return undefined;
  }
}
