import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { Disposable } from '../../util/disposable';

/**
 * SHA-256 of the only program of an on-start script that is run: the guard of a machine that
 * was rented for a job. Anything else would act on the computer that plays the machine.
 */
export const guardHash = '279db962bf007a4057dcd25f93bde89bfc4db7d0360ad2093d1f67537b53078b';

const largestProgram = 100_000;
const packed = /^f=\$\(mktemp\) && echo ([A-Za-z0-9+/=]+) \| base64 -d \| gzip -dc >"\$f" && /;
const guardLine = new RegExp(
  [
    String.raw`^\{ h="\$\{HOME:-/root\}"; d="\$h/\.gpu-rental"; mkdir -p "\$d" && chmod 700 "\$d"`,
    String.raw`echo ([A-Za-z0-9+/=]+) \| base64 -d \| gzip -dc >"\$d/birth\.sh"`,
    String.raw`HOME="\$h" sh "\$d/birth\.sh" http://(?:127\.0\.0\.1|localhost):[\w.:/-]+ \d+ \d+ </dev/null >/dev/null 2>&1; \} \|\| : # [\w :]+$`,
  ].join(' && '),
);

function unpacked(data: string): string {
  try {
    return gunzipSync(Buffer.from(data, 'base64'), { maxOutputLength: largestProgram }).toString();
  } catch {
    return '';
  }
}

/** The script of a request, also where it was sent packed. */
export function unpackedScript(onstart: string): string {
  const [, whole] = packed.exec(onstart) ?? [];
  return whole === undefined ? onstart : unpacked(whole);
}

/** The line of the script that starts exactly that program. */
export function guardLineOf(onstart: string): string | undefined {
  const lines = unpackedScript(onstart).split('\n');
  return lines.find((line) => {
    const [, program] = guardLine.exec(line) ?? [];
    return (
      program !== undefined && createHash('sha256').update(unpacked(program)).digest('hex') === guardHash
    );
  });
}

/** Starts the guard if the script has one. Its processes end with the machine. */
export function startGuard(
  onstart: string | null,
  home: string,
  env: Readonly<Record<string, string>>,
): Disposable | undefined {
  const line = process.platform === 'win32' ? undefined : guardLineOf(onstart ?? '');
  if (line === undefined) {
    return undefined;
  }
  const child = spawn('/bin/sh', ['-c', line], { cwd: home, env, detached: true, stdio: 'ignore' });
  // A computer without that shell plays a machine without the programs for it.
  child.once('error', () => undefined);
  child.unref();
  return {
    dispose: () => {
      try {
        process.kill(-(child.pid ?? Number.NaN), 'SIGKILL');
      } catch {
        // Nothing of it is left.
      }
    },
  };
}
