import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';

/** The forms in which a value is still that value: as it is, escaped, percent-encoded, in base64 and in hexadecimal. */
function formsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const percent = encodeURIComponent(secret);
  const html = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  return [
    ...new Set([
      secret,
      json,
      JSON.stringify(json).slice(1, -1),
      percent,
      percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
      percent.replaceAll('%20', '+'),
      encodeURIComponent(percent),
      html,
      ...base64Forms(secret),
      Buffer.from(secret, 'utf8').toString('hex'),
    ]),
  ];
}

/**
 * What base64 makes of the value at each of the three places in which it can stand in a longer text; the
 * letters at its edges, which depend on its neighbours, are left out.
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [0, 1, 2].flatMap((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const whole = padded.subarray(0, padded.length - (padded.length % 3));
    const standard = whole.toString('base64').slice(offset === 0 ? 0 : 4);
    // Shorter ones stand in many a text by chance.
    return standard.length < 8 ? [] : [standard, standard.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** True where a text or the content of a file holds one of the secrets in any form, packed or not. */
export function holdsSecret(content: Buffer | string, secrets: readonly string[]): boolean {
  const needles = secrets
    .flatMap(formsOf)
    .flatMap((form) => [
      Buffer.from(form, 'utf8'),
      Buffer.from(form, 'utf16le'),
      Buffer.from(form, 'utf16le').swap16(),
    ]);
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  return [bytes, ...unpacked(bytes)].some((each) => needles.some((needle) => each.includes(needle)));
}

/** What a packed file holds; nothing where it is not packed. */
function unpacked(content: Buffer): Buffer[] {
  const attempts = [
    ...(content[0] === 0x1f && content[1] === 0x8b ? [gunzipSync] : []),
    ...(content[0] === 0x78 ? [inflateSync] : []),
    ...(content.length < 1_000_000 && !isText(content) ? [brotliDecompressSync, inflateRawSync] : []),
  ];
  return [
    ...attempts.flatMap((unpack) => {
      try {
        return [unpack(content)];
      } catch {
        return [];
      }
    }),
    ...zipEntries(content),
  ];
}

function isText(content: Buffer): boolean {
  return !content.subarray(0, 1000).includes(0);
}

/** The entries of a zip file, by the headers that stand before each. */
function zipEntries(content: Buffer): Buffer[] {
  const found: Buffer[] = [];
  const mark = Buffer.from('PK\x03\x04', 'latin1');
  for (let at = content.indexOf(mark); at >= 0; at = content.indexOf(mark, at + 4)) {
    if (at + 30 > content.length || content.readUInt16LE(at + 8) !== 8) {
      continue;
    }
    const start = at + 30 + content.readUInt16LE(at + 26) + content.readUInt16LE(at + 28);
    try {
      found.push(inflateRawSync(content.subarray(start)));
    } catch {
      // Cut off, or no zip file after all.
    }
  }
  return found;
}

/**
 * Files under `folder`, hidden ones included, that hold one of the secrets, in their names or in any form.
 * Paths are relative; `allowed` names those that may (the secret store).
 */
export function filesWithSecrets(
  folder: string,
  secrets: readonly string[],
  allowed: (file: string) => boolean = () => false,
): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter((file) => !allowed(file))
    .filter((file) => {
      try {
        return holdsSecret(file, secrets) || holdsSecret(readFileSync(path.join(folder, file)), secrets);
      } catch (error) {
        // Files come and go while an editor runs.
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
          return false;
        }
        throw error;
      }
    })
    .sort();
}
