import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import alone from '../../../src/ssh/alone.sh';
import lock from '../../../src/ssh/lock.sh';
import { assembled } from '../../../src/ssh/shellProgram';
import { guideBlocks } from '../../support/guideBlocks';
import { useFolder } from '../../support/useFolder';

const shells: readonly (readonly [string, ...string[]])[] = [
  ['/bin/dash'],
  ['/bin/bash'],
  ['/bin/busybox', 'sh'],
];
const program = assembled(alone, { 'lock.sh': lock });

/** What stands in the way of a lock, by the program that is `flock` then; the real one for an empty text. */
const flocks: Readonly<Record<string, string | undefined>> = {
  'the real one': '',
  'none at all': undefined,
  'a disk without locks': "echo 'flock: 9: Bad file descriptor' >&2; exit 65",
  'no room for locks': "echo 'flock: 9: No locks available' >&2; exit 71",
  'one that says 1 for all that fails': "echo 'flock: Function not implemented' >&2; exit 1",
  'one that can not run': 'exit 126',
  'one that is killed': 'kill -9 $$',
};

describe('The lock of a machine', () => {
  let base = '';
  useFolder((made) => void (base = made));
  const holders: ChildProcess[] = [];
  afterEach(() => {
    for (const holder of holders.splice(0)) {
      holder.kill('SIGKILL');
    }
  });

  function pathWith(flock: string | undefined): string {
    const bin = join(base, 'bin');
    rmSync(bin, { recursive: true, force: true });
    mkdirSync(bin);
    for (const name of ['sh', 'mkdir', 'rm', 'find', 'sleep', ...(flock === '' ? ['flock'] : [])]) {
      const real = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
      const script = name === 'sleep' ? 'exit 0' : `exec ${real} "$@"`;
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
    if (flock) {
      writeFileSync(join(bin, 'flock'), `#!/bin/sh\n${flock}\n`, { mode: 0o755 });
    }
    return bin;
  }

  const place = () => join(base, 'place');
  const turn = `${program}\nif alone "$1" turn 3 5; then echo mine; else echo busy; fi; give_turn`;
  const take = ([shell, ...args]: readonly [string, ...string[]], PATH: string) =>
    spawnSync(shell, [...args, '-c', turn, 'sh', place()], { env: { PATH }, encoding: 'utf8' }).stdout.trim();

  for (const [what, flock] of Object.entries(flocks)) {
    for (const shell of shells) {
      it(`is held only by another login, with ${what}, in ${shell.join(' ')}`, async () => {
        mkdirSync(place());
        const PATH = pathWith(flock);
        assert.equal(take(shell, PATH), 'mine', 'nobody holds it');
        assert.equal(take(shell, PATH), 'mine', 'it was given back');
        const [held, ...args] = shell;
        const hold = `${program}\nalone "$1" turn 3 5 && echo held; exec 0<&0; read -r line`;
        const holder = spawn(held, [...args, '-c', hold, 'sh', place()], {
          env: { PATH },
          stdio: ['pipe', 'pipe', 'ignore'],
        });
        holders.push(holder);
        await once(holder.stdout, 'data');
        assert.equal(take(shell, PATH), 'busy', 'the other one is at work');
        holder.stdin.end();
        await once(holder, 'exit');
        if (existsSync(join(place(), 'turn'))) {
          const old = Date.now() / 1000 - 400;
          utimesSync(join(place(), 'turn'), old, old);
        }
        assert.equal(take(shell, PATH), 'mine', 'the other one is gone');
      });
    }
  }

  for (const shell of shells) {
    it(`is held by none where the disk refuses its place, in ${shell.join(' ')}`, () => {
      assert.equal(take(shell, pathWith(undefined)), 'mine');
      assert.equal(take(shell, pathWith('exit 71')), 'mine');
    });
  }

  it('never keeps a task of GNU parallel waiting for a lock that can not be taken', () => {
    const [, lines = ''] = guideBlocks('GNU parallel');
    const run = (flock: string) =>
      spawnSync('/bin/sh', ['-c', `${lines}\necho "GPU $CUDA_VISIBLE_DEVICES"`], {
        env: { PATH: `${pathWith(flock)}:/usr/bin:/bin` },
        encoding: 'utf8',
        timeout: 10_000,
      });
    assert.equal(run('').stdout, 'GPU 0\n');
    const failed = run("echo 'flock: 9: No locks available' >&2; exit 71");
    assert.deepEqual([failed.status, failed.stdout], [71, '']);
    assert.match(failed.stderr, /No locks available/);
  });
});
