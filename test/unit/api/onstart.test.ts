import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { NotSentError } from '../../../src/api/errors';
import { longestOnstart, packOnstart } from '../../../src/api/onstart';

const long = (line: string) => `${line}\n# ${'padding '.repeat(800)}\n`;

/** In a temp folder of its own, because an instance keeps its unpacked script. */
function run(shell: string, script: string, input = '') {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gpu-rental-onstart-'));
  const result = spawnSync(shell, ['-c', script], {
    input,
    encoding: 'utf8',
    timeout: 20_000,
    env: { ...process.env, TMPDIR: folder },
  });
  rmSync(folder, { recursive: true });
  return { out: result.stdout, code: result.status };
}

describe('packOnstart', () => {
  it('leaves a script of 4048 characters as it is', () => {
    const script = 'x'.repeat(longestOnstart);
    assert.equal(packOnstart(script), script);
  });

  it('packs a script of 4049 characters into one line within the limit', () => {
    const packed = packOnstart('x'.repeat(longestOnstart + 1));
    assert.ok(packed.length <= longestOnstart);
    assert.ok(!packed.includes('\n'));
  });

  it('counts bytes, so that a service that counts them accepts it too', () => {
    const script = 'ü'.repeat(3000);
    assert.notEqual(packOnstart(script), script);
  });

  for (const shell of ['/bin/sh', '/bin/bash', '/bin/dash'].filter(existsSync)) {
    it(`packs what ${shell} runs to the same effect, quotes and umlauts included`, () => {
      const script = long(`echo "it's $((6 * 7)) – grüße"; cat; exit 3`);
      assert.deepEqual(run(shell, packOnstart(script), 'from standard input\n'), {
        out: "it's 42 – grüße\nfrom standard input\n",
        code: 3,
      });
    });
  }

  it('runs the script with bash, as the service does', () => {
    assert.equal(run('/bin/sh', packOnstart(long('a=(1 2 3); echo "${#a[@]}"'))).out, '3\n');
  });

  it('keeps the interpreter that the script names', () => {
    assert.equal(
      run(
        '/bin/sh',
        packOnstart(long('#!/usr/bin/env node\nconsole.log(1 + 1); /*').replace(/# p/, 'p') + '*/'),
      ).out,
      '2\n',
    );
  });

  it('refuses a script that stays too long, with both lengths', () => {
    const script = Array.from({ length: 3000 }, (_, i) => ((i * 7919 + 13) ** 2 % 1e9).toString(36)).join(
      '\n',
    );
    assert.throws(
      () => packOnstart(script),
      (error) => {
        assert.ok(error instanceof NotSentError);
        const [length, packed, limit] = error.text.args;
        assert.equal(length, Buffer.byteLength(script));
        assert.ok(typeof packed === 'number' && packed > longestOnstart && packed < script.length);
        assert.equal(limit, longestOnstart);
        return true;
      },
    );
  });
});
