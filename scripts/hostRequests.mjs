/**
 * Which requests the browser-hosted editor answers. It has no password, so any page in the browser could otherwise open a
 * socket to it and run programs, also one whose name leads to this computer.
 */
import { readFile } from 'node:fs/promises';

const localNames = /^(?:127\.0\.0\.1|\[::1\]|(?:[\w-]+\.)?localhost)(?::\d+)?$/i;

/** Returns true if a request names this computer as its host. */
export function isToThisComputer({ host = '' }) {
  return localNames.test(host);
}

/** Returns true if a socket is opened by a page of this editor, also behind a proxy, or by a program. */
export function isFromOwnPage(headers) {
  const { host, origin } = headers;
  if (!isToThisComputer(headers)) return false;
  if (origin === undefined) return true;
  return URL.canParse(origin) && [host, headers['x-forwarded-host']].includes(new URL(origin).host);
}

/** Where the server says which profile it serves, so that another start finds it and takes no other program for it. */
export const profilePath = '/gpu-rental-profile';

/** Returns the address in a file that an earlier start left, if the editor of this profile answers there. */
export async function runningEditor(file, profile) {
  try {
    const { url } = JSON.parse(await readFile(file, 'utf8'));
    const answer = await fetch(`${url}${profilePath}`, { signal: AbortSignal.timeout(2000) });
    return answer.ok && (await answer.text()) === profile ? url : undefined;
  } catch {
    return undefined;
  }
}
