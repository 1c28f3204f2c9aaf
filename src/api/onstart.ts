import { gunzipSync, gzipSync } from 'node:zlib';
import { scriptLines } from '../util/scriptLines';
import { text } from '../util/text';
import { NotSentError } from './errors';

/** The largest number of characters that the service accepts (docs/service/limits.md#sizes). */
export const longestOnstart = 4048;

/**
 * Returns the on-start script as it is sent: with line ends of the machine, unchanged up to the limit, otherwise as one line that unpacks
 * and runs it (docs/service/limits.md#sizes). Throws `NotSentError` with both lengths when that line is too
 * long as well. Counts bytes, so that a service that counts characters never receives more than it accepts.
 */
export function packOnstart(written: string): string {
  const script = scriptLines(written);
  const length = Buffer.byteLength(script);
  if (length <= longestOnstart) {
    return script;
  }
  const packed = selfExtracting(script);
  if (packed.length > longestOnstart) {
    throw new NotSentError(
      text(
        'The on-start script is too long: {0} characters, and {1} when compressed, of {2} at most. Put part of it into the image or download it from the script.',
        length,
        packed.length,
        longestOnstart,
      ),
    );
  }
  return packed;
}

/**
 * Unpacks into a file, so that the script keeps its standard input and its own interpreter line.
 * Works in any POSIX shell; `bash` runs the script where there is one, as the service does.
 */
function selfExtracting(script: string): string {
  const data = gzipSync(script, { level: 9 }).toString('base64');
  const run = script.startsWith('#!') ? 'chmod 700 "$f"; "$f"' : '"$(command -v bash || command -v sh)" "$f"';
  return `f=$(mktemp) && echo ${data} | base64 -d | gzip -dc >"$f" && { ${run}; }`;
}

/** Larger than any script that the service accepts. */
const largestScript = 1_000_000;

/** The script of a line that `packOnstart` made, and any other as it is. */
export function unpackOnstart(script: string): string {
  const [, data] =
    /^f=\$\(mktemp\) && echo ([A-Za-z0-9+/=]+) \| base64 -d \| gzip -dc >"\$f" && /.exec(script) ?? [];
  try {
    return data === undefined
      ? script
      : gunzipSync(Buffer.from(data, 'base64'), { maxOutputLength: largestScript }).toString();
  } catch {
    return script;
  }
}
