import { parse } from 'smol-toml';
import { applyChanges, JsonPlaces } from '../../model/documents/jsonPlaces';
import { serverName, tomlOf, type ServerCommand } from './mcpConfiguration';

/** How a client keeps its servers in a file. */
export interface ServersIn {
  readonly format: 'json' | 'toml';
  /** The property or table that holds all servers. */
  readonly key: string;
}

type Fields = Readonly<Record<string, unknown>>;
const byteOrderMark = '\ufeff';

/**
 * Returns the text of a client's file with our server, in place of an earlier one. Everything else stays as it is, with
 * comments and order. Returns `undefined` for a text that is broken or that can't be changed so: the result is read
 * again and compared.
 */
export function withServer(
  source: string,
  { format, key }: ServersIn,
  server: ServerCommand,
): string | undefined {
  const mark = source.startsWith(byteOrderMark) ? byteOrderMark : '';
  const body = source.slice(mark.length);
  const changed = format === 'json' ? inJson(body, key, server) : inToml(body, key, server);
  return changed === undefined ? undefined : mark + changed;
}

function inJson(source: string, key: string, server: ServerCommand): string | undefined {
  const body = source.trim() === '' ? '{}\n' : source;
  const places = new JsonPlaces(body);
  const root = fieldsIn(places.value([]));
  const servers = fieldsIn(places.value([key]));
  if (places.brokenLine !== undefined || !root || (!servers && Object.hasOwn(root, key))) {
    return undefined;
  }
  if (isSame(servers?.[serverName], server)) {
    return body;
  }
  const changes = servers
    ? places.setAt([key, serverName], server)
    : places.set(key, { [serverName]: server });
  const changed = applyChanges(body, changes);
  const wanted = { ...root, [key]: { ...servers, [serverName]: server } };
  return isSame(new JsonPlaces(changed).value([]), wanted) ? changed : undefined;
}

function inToml(source: string, key: string, server: ServerCommand): string | undefined {
  const root = readToml(source);
  const servers = root && (Object.hasOwn(root, key) ? fieldsIn(root[key]) : {});
  if (!root || !servers) {
    return undefined;
  }
  const lineBreak = source.includes('\r\n') ? '\r\n' : '\n';
  const own = tomlOf(server).replaceAll('\n', lineBreak);
  const { env, ...entry } = server;
  const written = { ...entry, ...(Object.keys(env).length > 0 ? { env } : {}) };
  if (isSame(servers[serverName], written)) {
    return source;
  }
  const changed = replaceTables(source, lineBreak, key, own);
  const wanted = { ...root, [key]: { ...servers, [serverName]: written } };
  const now = readToml(changed);
  return now && isSame(now, wanted) ? changed : undefined;
}

/** Puts our table in the place of the first one of its name, or at the end. */
function replaceTables(source: string, lineBreak: string, key: string, own: string): string {
  const header = new RegExp(`^[ \\t]*\\[[ \\t]*${key}[ \\t]*\\.[ \\t]*["']?${serverName}["']?[ \\t]*[.\\]]`);
  const lines = source.split(lineBreak);
  const kept: string[] = [];
  let isPlaced = false;
  for (let at = 0; at < lines.length;) {
    if (!header.test(lines[at] ?? '')) {
      kept.push(lines[at] ?? '');
      at += 1;
      continue;
    }
    let end = at + 1;
    while (end < lines.length && !/^[ \t]*\[/.test(lines[end] ?? '')) {
      end += 1;
    }
    // Comments above the next table are about that one.
    while (end > at + 1 && /^[ \t]*(?:#|$)/.test(lines[end - 1] ?? '')) {
      end -= 1;
    }
    kept.push(...(isPlaced ? [] : own.trimEnd().split(lineBreak)));
    isPlaced = true;
    at = end;
  }
  const rest = kept.join(lineBreak);
  if (isPlaced) {
    return rest;
  }
  const gap = rest === '' ? '' : rest.endsWith(lineBreak) ? lineBreak : lineBreak + lineBreak;
  return rest + gap + own;
}

function readToml(source: string): Fields | undefined {
  try {
    return parse(source);
  } catch {
    return undefined;
  }
}

function fieldsIn(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The lines in which two texts differ, without those that are the same at the start and at the end. */
export function changedLines(
  before: string,
  after: string,
): { readonly removed: readonly string[]; readonly added: readonly string[] } {
  const [old, now] = [linesOf(before), linesOf(after)];
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) {
    start += 1;
  }
  let end = 0;
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) {
    end += 1;
  }
  return { removed: old.slice(start, old.length - end), added: now.slice(start, now.length - end) };
}

function linesOf(source: string): readonly string[] {
  return source === '' ? [] : source.replace(/\r?\n$/, '').split(/\r?\n/);
}
