/** A raw name or path has one character for each byte (latin1), so that names in no known coding can be used as well. */

export function rawOf(words: string): string {
  return Buffer.from(words, 'utf8').toString('latin1');
}

/** Returns the words of a raw name; undefined if it is not UTF-8. */
export function wordsOf(raw: string): string | undefined {
  const words = Buffer.from(raw, 'latin1').toString('utf8');
  return rawOf(words) === raw ? words : undefined;
}

/** For rows and messages, which show control characters in words. Bytes that are not UTF-8 become `\xff`. */
export function shownName(raw: string): string {
  const escaped = (byte: string) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return wordsOf(raw) ?? raw.replace(/[^ -~]/g, escaped);
}

export function joinRaw(folder: string, name: string): string {
  return folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`;
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}
