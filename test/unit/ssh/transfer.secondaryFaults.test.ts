import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createJobMachine } from '../../../src/jobs/machine/createJobMachine';
import { chosenFiles } from '../../../src/ssh/fileTree';
import { LocalFiles } from '../../../src/ssh/localFiles';
import { runProgram } from '../../../src/ssh/run';
import type { SshService } from '../../../src/ssh/service';
import { upload } from '../../../src/ssh/upload';
import { systemClock } from '../../../src/util/clock';
import { formatText } from '../../../src/util/text';
import { jobOrder, sentFrom } from '../../support/jobScene';
import { openedFolder } from '../../support/openedFolder';
import { named } from '../../support/transfers';
import { useFolder } from '../../support/useFolder';

const where = (program: string) =>
  execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
const [tar, cp] = [where('tar'), where('cp')];

/** Programs of a machine whose disk refuses something beside the bytes: they do their work, complain and fail. */
const single: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'times of tar': {
    tar: `case "$1" in -x*) ${tar} --touch "$@" || exit; echo 'tar: ./a.txt: Cannot utime: Operation not permitted' >&2; exit 2 ;; esac; exec ${tar} "$@"`,
  },
  'modes of tar': {
    tar: `case "$1" in -x*) ${tar} --touch --no-same-permissions "$@" || exit; echo 'tar: ./a.txt: Cannot change mode to rwxr-xr-x: Operation not permitted' >&2; exit 2 ;; esac; exec ${tar} "$@"`,
  },
  'words that nobody knows': {
    tar: `case "$1" in -x*) ${tar} --touch "$@" || exit; echo 'Le disque ne veut pas' >&2; exit 77 ;; esac; exec ${tar} "$@"`,
  },
  touch: { touch: "echo 'touch: Operation not permitted' >&2; exit 1" },
  chmod: { chmod: "echo 'chmod: Operation not permitted' >&2; exit 1" },
  'times of cp': {
    cp: `case "$1" in -a*) ${cp} -RP "$2" "$3"; echo 'cp: preserving times: Operation not permitted' >&2; exit 1 ;; esac; exec ${cp} "$@"`,
  },
};
const all: Readonly<Record<string, string>> = {
  ...single['touch'],
  ...single['chmod'],
  ...single['times of cp'],
  ...single['times of tar'],
};
const secondary = { ...single, 'all of them': all };

describe('A fault beside the bytes', () => {
  let base = '';
  useFolder((made) => void (base = made));

  /** A machine with these programs before the usual ones. */
  function machine(programs: Readonly<Record<string, string>>) {
    const [bin, home] = [join(base, 'bin'), join(base, 'home')];
    for (const folder of [bin, home]) {
      mkdirSync(folder, { recursive: true });
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

  const contents: Readonly<Record<string, string>> = {
    'a.txt': 'one',
    'sub/b.txt': 'two'.repeat(3000),
    large: 'three'.repeat(20_000),
  };
  function localFolder(): string {
    const local = join(base, 'data');
    mkdirSync(join(local, 'sub'), { recursive: true });
    for (const [name, content] of Object.entries(contents)) {
      writeFileSync(join(local, name), content);
      utimesSync(join(local, name), 1_600_000_000, 1_600_000_000);
    }
    symlinkSync('a.txt', join(local, 'link'));
    return local;
  }

  for (const [what, programs] of Object.entries(secondary)) {
    it(`voids no bytes that were sent, and is named once: ${what}`, async () => {
      const { home, deps } = machine(programs);
      const outcome = await upload(deps, 'gpu-7', await chosenFiles([localFolder()]), join(home, 'to'));
      for (const [name, content] of Object.entries(contents)) {
        assert.equal(readFileSync(join(home, 'to/data', name), 'utf8'), content);
      }
      assert.deepEqual(named(outcome), {});
      assert.equal(outcome.files, 3);
      const isTold = what !== 'times of cp';
      assert.equal(outcome.notKept !== undefined, isTold);
      assert.match(
        outcome.notKept ? formatText(outcome.notKept) : '',
        isTold ? /^Times or modes of files could not be kept: ./ : /^$/,
      );
    });

    it(`keeps no job from its files: ${what}`, async () => {
      const { home, deps } = machine(programs);
      const job = createJobMachine({ ...deps, alias: 'gpu-7' });
      const order = jobOrder('true', { id: 'a1' });
      await job.begin(order);
      const { leftOut } = await job.sync(order, sentFrom(localFolder(), Object.keys(contents)));
      assert.deepEqual(leftOut, []);
      const src = join(home, '.gpu-rental/jobs/a1/src');
      assert.equal(readFileSync(join(src, 'sub/b.txt'), 'utf8'), contents['sub/b.txt']);
      assert.ok(existsSync(join(home, '.gpu-rental/jobs/a1/run.sh')));
    });
  }

  /** Programs that lose bytes with the same words. */
  const primary: Readonly<Record<string, string>> = {
    'a file that is cut off': `case "$1" in -x*) ${tar} --touch "$@"; for one in data/a.txt a.txt run.sh; do [ ! -s $one ] || : >$one; done; echo 'tar: ./a.txt: Cannot utime: Operation not permitted' >&2; exit 2 ;; esac; exec ${tar} "$@"`,
    'an old file of the same size': `case "$1" in -x*) ${tar} --touch "$@"; for one in data/a.txt a.txt; do [ ! -s $one ] || printf old >$one; done; rm -f run.sh; echo 'tar: ./a.txt: Cannot utime: Operation not permitted' >&2; exit 2 ;; esac; exec ${tar} "$@"`,
  };
  for (const [what, program] of Object.entries(primary)) {
    it(`does not hide a loss of bytes: ${what} is reported`, async () => {
      const { home, deps } = machine({ tar: program });
      const outcome = await upload(deps, 'gpu-7', await chosenFiles([localFolder()]), join(home, 'to'));
      assert.deepEqual(Object.keys(named(outcome)), ['data/a.txt']);
      assert.equal(outcome.files, 2);
      await assert.rejects(
        createJobMachine({ ...deps, alias: 'gpu-7' }).begin(jobOrder('true', { id: 'a1' })),
        /could not do its part of the job/,
      );
    });
  }

  it('voids no bytes that were fetched, and is named once', async () => {
    const refuse = () => Promise.reject(Object.assign(new Error('EPERM: futime'), { code: 'EPERM' }));
    const local = new LocalFiles(openedFolder(base), new Map(), refuse);
    const file = { name: 'model.bin', size: 5, modified: 1_600_000_000 };
    await local.attempt(file.name, () => local.write(file, 0, [Buffer.from('12345')], () => undefined));
    await local.attempt('copy.bin', () => local.copy('copy.bin', 'model.bin', file.modified));
    for (const name of ['model.bin', 'copy.bin']) {
      assert.equal(statSync(join(base, name)).size, 5);
      assert.ok(local.hasArrived(name));
      assert.ok(await local.isHere({ ...file, name }));
    }
    assert.equal(local.refused.size, 0);
    assert.equal(
      local.notKept && formatText(local.notKept),
      'Times or modes of files could not be kept: EPERM',
    );
  });
});
