import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { linesOf } from '../../../src/jobs/machine/machineCall';
import { downloadList } from '../../../src/ssh/download';
import { runProgram } from '../../../src/ssh/run';
import type { SshService } from '../../../src/ssh/service';
import { atMost, SentTooMuchError } from '../../../src/ssh/transfer';
import { systemClock } from '../../../src/util/clock';
import { openedFolder } from '../../support/openedFolder';
import { useFolder } from '../../support/useFolder';

const where = (program: string) =>
  execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();

/** Which options it knows is asked before, and answered. */
const version = 'case "$*" in *--version*) exit 1 ;; esac; ';

describe('A machine that sends more than it listed', () => {
  let base = '';
  useFolder((made) => void (base = made));

  function machine(programs: Readonly<Record<string, string>>) {
    const [bin, home] = [join(base, 'bin'), join(base, 'home')];
    for (const folder of [bin, home]) {
      mkdirSync(folder);
    }
    for (const [name, script] of Object.entries(programs)) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    const env = { HOME: home, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    const ssh: Pick<SshService, 'exec'> = {
      exec: (_, script, options) => runProgram('/bin/sh', ['-c', script], { ...options, env }),
    };
    return { home, deps: { ssh, clock: systemClock, platform: process.platform, singleBytes: 50_000 } };
  }

  for (const [what, programs] of Object.entries({
    'bytes without end': { tar: `${version}exec cat /dev/zero`, head: 'exec cat /dev/zero' },
    'a small file that is large by now': {
      tar: `truncate -s 300M small.bin; exec ${where('tar')} "$@"`,
    },
    'more after the last file': {
      tar: `${version}${where('tar')} "$@"; exec cat /dev/zero`,
    },
    'a large file that does not end': { head: 'exec cat /dev/zero' },
  })) {
    it(`is cut off: ${what}`, async () => {
      const { home, deps } = machine(programs);
      const sizes = { 'small.bin': 10, 'large.bin': 80_000 };
      for (const [name, size] of Object.entries(sizes)) {
        writeFileSync(join(home, name), Buffer.alloc(size, 1));
      }
      const into = join(base, 'into');
      mkdirSync(into);
      const entries = Object.entries(sizes).map(([name, size]) => ({
        name,
        kind: 'file' as const,
        size,
        modified: Math.floor(statSync(join(home, name)).mtimeMs / 1000),
      }));
      const list = {
        folder: home,
        entries,
        privateFolders: new Set<string>(),
        hashes: new Map<string, string>(),
      };
      await assert.rejects(downloadList(deps, 'gpu-7', list, openedFolder(into)), SentTooMuchError);
      const here = readdirSync(into).reduce((sum, name) => sum + statSync(join(into, name)).size, 0);
      assert.ok(here <= 100_000, `${here} bytes stay`);
    });
  }

  it('is cut off in an answer as well', async () => {
    const { deps } = machine({});
    const call = { ...deps, alias: 'gpu-7' };
    await assert.rejects(linesOf(call, ['exec cat /dev/zero'], { timeoutMs: 30_000 }), SentTooMuchError);
  });

  it('is read to the byte that it may send', async () => {
    async function* pieces(): AsyncGenerator<Buffer> {
      for (let count = 0; count < 4; count += 1) {
        await Promise.resolve();
        yield Buffer.alloc(10);
      }
    }
    const read = async (most: number) => {
      let count = 0;
      for await (const piece of atMost(pieces(), () => most)) {
        count += piece.length;
      }
      return count;
    };
    assert.equal(await read(40), 40);
    await assert.rejects(read(39), SentTooMuchError);
  });
});
