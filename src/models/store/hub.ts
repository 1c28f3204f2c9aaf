import type * as z from 'zod';
import type { Transport } from '../../api/transport';
import { parseJson } from '../../util/json';
import type { Log } from '../../util/log';
import { factsOfHub, hubConfig, hubRepository, type HubProblem } from '../model/hubRecord';
import { knownModel, type ModelFacts } from '../model/knownModels';

const usualUrl = 'https://huggingface.co';

/** Returns the address of the hub: where programs of the hub look for a mirror that the user set, that one. */
export function hubUrl({ HF_ENDPOINT: mirror = '' }: Readonly<Record<string, string | undefined>>): string {
  return /^(?:https:\/\/|http:\/\/127\.0\.0\.1:)[\w.:-]+$/.test(mirror) ? mirror : usualUrl;
}

/** The most that a record or the settings of a repository may take (bytes). */
const mostBytes = 5_000_000;
const timeoutMs = 10_000;

export interface HubDeps {
  readonly transport: Pick<Transport, 'send'>;
  readonly log: Pick<Log, 'info'>;
  readonly url: string;
}

/** What is known of a model, and whether the hub just said so or the table of this version does. */
export type FoundModel =
  | { readonly kind: 'found'; readonly facts: ModelFacts; readonly from: 'hub' | 'table' }
  | { readonly kind: HubProblem | 'unknown' | 'noAnswer' };

/**
 * Reads a repository at the hub, without a token: its sizes and its license are public even where its files are not. Without
 * an answer, the table says what it knows.
 */
export async function findModel(deps: HubDeps, repository: string, signal: AbortSignal): Promise<FoundModel> {
  const known = knownModel(repository);
  try {
    const record = await read(deps, `/api/models/${repository}?blobs=true`, hubRepository, signal);
    if (record === undefined) {
      return { kind: 'unknown' };
    }
    const config = await read(deps, `/${repository}/raw/main/config.json`, hubConfig, signal);
    const facts = factsOfHub({ ...record, id: known?.repository ?? repository }, config);
    return typeof facts === 'string' ? { kind: facts } : { kind: 'found', facts, from: 'hub' };
  } catch (error) {
    signal.throwIfAborted();
    deps.log.info(`The hub was not read: ${String(error)}`);
    return known ? { kind: 'found', facts: known, from: 'table' } : { kind: 'noAnswer' };
  }
}

/** Returns nothing for what is not there or not public. Throws without an answer that can be read. */
async function read<T>(
  { transport, url }: HubDeps,
  path: string,
  shape: z.ZodType<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  const { status, text } = await transport.send({
    method: 'GET',
    url: new URL(`${url}${path}`),
    headers: { accept: 'application/json' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    timeoutMs,
    maxBytes: mostBytes,
  });
  if (status === 401 || status === 403 || status === 404) {
    return undefined;
  }
  if (status !== 200) {
    throw new Error(`status ${status}`);
  }
  return shape.parse(parseJson(text));
}
