import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { runProgram } from '../../src/ssh/run';
import type { SshService } from '../../src/ssh/service';
import { systemClock } from '../../src/util/clock';
import type { FreeHere } from '../../src/workspaces/machine/parked/fetchPieces';
import { createParkedPieces } from '../../src/workspaces/machine/parked/parkedPieces';
import { rawOf } from '../../src/workspaces/machine/rawPath';

/** A folder of a machine that is another folder of this computer, and one here for the set. */
export class ParkedScene {
  readonly dir = realpathSync(mkdtempSync(join(tmpdir(), 'gpu-parked-')));
  readonly folder = join(this.dir, 'here', '0123456789abcdef');
  readonly there = join(this.dir, 'there', 'project');
  readonly root = rawOf(this.there);
  logins = 0;

  constructor() {
    mkdirSync(this.there, { recursive: true });
    mkdirSync(this.folder, { recursive: true });
  }

  readonly exec: SshService['exec'] = (_, script, options = {}) => {
    this.logins += 1;
    return runProgram('/bin/sh', ['-c', script], {
      ...options,
      cwd: this.dir,
      env: { HOME: this.dir, PATH: `${this.bin}:${process.env['PATH'] ?? ''}` },
    });
  };

  /** A login that is not the superuser's. */
  readonly asUser: SshService['exec'] = (_, script, options = {}) => {
    // A run in several processes has a folder for each of them in one of its own.
    for (let folder = dirname(this.dir); basename(folder).startsWith('gr-'); folder = dirname(folder)) {
      chmodSync(folder, 0o711);
    }
    chmodSync(this.dir, 0o755);
    const plain = ['/bin/sh', '-c', script] as const;
    const other = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', ...plain] as const;
    const [program, ...args] = process.getuid?.() === 0 ? other : plain;
    return runProgram(program, args, { ...options, cwd: '/' });
  };

  /** The line is cut after so many bytes of the archives; `passed` counts them. */
  cutExec(after: number, passed = { bytes: 0 }): SshService['exec'] {
    return async (alias, script, options = {}) => {
      const { output } = options;
      async function* cut(bytes: AsyncIterable<Buffer>) {
        let head: Buffer = Buffer.alloc(0);
        let isBegun = false;
        for await (const piece of bytes) {
          head = isBegun ? piece : Buffer.concat([head, piece]);
          const at: number = isBegun ? 0 : head.indexOf('pieces\n') + 7;
          isBegun ||= at >= 7;
          const rest = isBegun ? head.subarray(at) : Buffer.alloc(0);
          yield isBegun
            ? head.subarray(0, at + Math.min(rest.length, after - passed.bytes))
            : Buffer.alloc(0);
          passed.bytes += rest.length;
          if (passed.bytes > after) {
            return;
          }
        }
      }
      const result = await this.exec(
        alias,
        script,
        output ? { ...options, output: (bytes) => output(cut(bytes)) } : options,
      );
      return passed.bytes > after ? { ...result, code: 255 } : result;
    };
  }

  /** Ends with the given login: its work was done, and only the answer lost, or it was not. */
  endingExec(login: number, isDone: boolean): SshService['exec'] {
    return async (alias, script, options = {}) => {
      if (this.logins + 1 < login) {
        return this.exec(alias, script, options);
      }
      if (isDone) {
        await this.exec(alias, script, { ...options, output: drained });
      }
      return { code: 255, stdout: '', stderr: 'closed', timedOut: false };
    };
  }

  /** The line is cut after so many bytes that are sent; `sent` counts them. */
  cutInput(after: number, sent: { bytes: number }): SshService['exec'] {
    return async (alias, script, options = {}) => {
      const { input = '' } = options;
      async function* cut(bytes: AsyncIterable<Uint8Array>) {
        for await (const piece of bytes) {
          yield piece.subarray(0, Math.max(0, after - sent.bytes));
          sent.bytes += piece.length;
          if (sent.bytes > after) {
            return;
          }
        }
      }
      const result = await this.exec(
        alias,
        script,
        typeof input === 'string' ? options : { ...options, input: cut(input) },
      );
      return sent.bytes > after ? { ...result, code: 255 } : result;
    };
  }

  /** Has a script run in place of a program of the machine but for its version. */
  fake(name: string, script: string, version?: string): void {
    const real = execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
    const body = `#!/bin/bash\n${name}() { ${real} "$@"; }\n[ "$1" != --version ] || exec ${version === undefined ? real : `echo ${version}`} --version\n${script}\n`;
    mkdirSync(this.bin, { recursive: true });
    writeFileSync(join(this.bin, name), body, { mode: 0o755 });
  }

  honest(): void {
    rmSync(this.bin, { recursive: true, force: true });
  }

  private get bin(): string {
    return join(this.dir, 'bin');
  }

  pieces(ssh: Pick<SshService, 'exec'> = { exec: this.exec }, alias = 'gpu-7', free?: FreeHere) {
    const deps = { ssh, clock: systemClock, platform: process.platform, ...(free ? { free } : {}) };
    return createParkedPieces(deps, { alias, folder: this.folder });
  }

  /** Runs a script in the folder there. */
  make(script: string): void {
    execFileSync('/bin/bash', ['-ec', script], { cwd: this.there, env: { ...process.env, LC_ALL: 'C' } });
  }

  /** Unpacks the set here with nothing but `tar`, as the documentation says, and returns the folder. */
  unpack(): string {
    const to = join(this.dir, 'unpacked');
    rmSync(to, { recursive: true, force: true });
    mkdirSync(to);
    const script = 'for piece in "$0"/*.tar; do tar -xpf "$piece" -C "$1"; done';
    execFileSync('/bin/sh', ['-ec', script, this.folder, to]);
    return to;
  }

  dispose(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

async function drained(bytes: AsyncIterable<Buffer>): Promise<void> {
  for await (const piece of bytes) {
    void piece;
  }
}

/** One of each kind that a set keeps. */
export const oddities = `
  echo one >a; ln a b; mkdir -p deep/er 'em pty'; ln a deep/c; ln -s ../a deep/link; ln deep/link deep/link2
  ln -s /nowhere dangling; echo exec >run.sh; chmod 4755 run.sh; chmod 0700 'em pty'; chmod 1777 deep
  head -c 3000000 /dev/urandom >random; : >zero
  truncate -s 40M holes; printf x | dd of=holes bs=1 seek=20000000 conv=notrunc status=none
  truncate -s 1234567 end; printf abc >>end
  echo latin >$'caf\\xe9'; echo nfc >$'caf\\xc3\\xa9'; echo nfd >$'cafe\\xcc\\x81'; echo up >README; echo low >readme
  echo nl >$'new\\nline'; echo bs >'back\\\\slash\\\\n'; echo dash >-rf; echo quotes >"it's \\"q\\""; echo star >'*?[x]'
  echo space >' lead and trail '; echo dots >...; echo long >$(printf 'l%.0s' $(seq 1 240))
  mkdir -p $(printf 'd%.0s' $(seq 1 120))/$(printf 'e%.0s' $(seq 1 120)); echo far >$(printf 'd%.0s' $(seq 1 120))/$(printf 'e%.0s' $(seq 1 120))/f
  git init -q .; git -c user.name=x -c user.email=x@y.z commit -q --allow-empty -m first
  touch -d '2001-02-03 04:05:06.123456789' a; touch -h -d '1999-01-01 00:00:00.5' dangling; touch -d '2030-01-01' zero
  touch -d '1970-01-01 00:00:01' random; touch -d '2002-02-02 02:02:02.000000020' deep 'em pty' .`;

/** Everything that a set has to keep of a folder, a line for each name. */
export function factsOf(folder: string): readonly string[] {
  const script = `
    find . -printf '%y %m %n %T@ %p %l' \\( -type f -printf ' %s ' -o -true \\) -printf '\\0' | sed -z 's/\\n/|/g' | tr '\\0' '\\n' | sort
    find . -type f -print0 | sort -z | xargs -0r sha256sum -z | tr '\\0' '\\n'
    find . ! -type d -links +1 -printf '%i %p\\0' | sort -z -k 2 | tr '\\n\\0' '|\\n' | awk '!($1 in first) { first[$1] = $2 } { print first[$1], $0 }' | sed 's/ [0-9]* / /'`;
  const env = { ...process.env, LC_ALL: 'C' };
  return execFileSync('/bin/sh', ['-ec', script], {
    cwd: folder,
    env,
    encoding: 'latin1',
    maxBuffer: 1e9,
  }).split('\n');
}
