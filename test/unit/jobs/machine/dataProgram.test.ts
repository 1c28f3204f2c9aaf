import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { dataProgram, readMeasured, type WantedData } from '../../../../src/jobs/machine/dataProgram';

const commit = 'c'.repeat(40);
const sha = (content: string) => createHash('sha256').update(content).digest('hex');

/** Programs that answer as curl and hf do, from a folder in place of the network. */
const curl = `#!/bin/sh
echo "curl $*" >>"$CALLS"
for last; do :; done
case " $* " in *" -H @- "*) cat >>"$CALLS" ;; *" -K - "*) last=$(sed -n 's/^url = "\\(.*\\)"$/\\1/p') ;; esac
case $last in *huggingface*) [ -e "$WEB/hub" ] && exec cat "$WEB/hub"; exit 22 ;; esac
[ -e "$WEB/file" ] || exit 22
case " $* " in *" -fsSIL "*) printf 'HTTP/2 200\\r\\nContent-Length: %s\\r\\n' "$(wc -c <"$WEB/file")"; exit ;; esac
while [ "$1" != -o ]; do shift; done
cat "$WEB/file" >"$2"
`;
const hf = `#!/bin/sh
echo "hf $* token=$HF_TOKEN" >>"$CALLS"
while [ "$1" != --local-dir ]; do shift; done
mkdir -p "$2/.cache" && echo weights >"$2/model.bin"
`;

for (const shell of [
  ['bash', '-eo', 'pipefail'],
  ['sh', '-e'],
  ['busybox', 'sh', '-e'],
] as const) {
  describe(`data that a machine fetches itself, with ${shell.join(' ')}`, () => {
    let root: string;
    const at = (...names: readonly string[]) => path.join(root, ...names);
    const calls = () => (existsSync(at('calls')) ? readFileSync(at('calls'), 'utf8') : '');

    beforeEach(() => {
      root = mkdtempSync(path.join(tmpdir(), 'data-'));
      for (const folder of ['bin', 'web']) {
        mkdirSync(at(folder));
      }
      for (const [name, content] of Object.entries({ curl, hf })) {
        writeFileSync(at('bin', name), content);
        chmodSync(at('bin', name), 0o755);
      }
    });

    afterEach(() => {
      rmSync(root, { recursive: true, force: true });
    });

    function run(wanted: readonly WantedData[], mode: 'measure' | 'fetch' = 'fetch', env = {}) {
      const [program, ...args] = shell;
      return spawnSync(program, [...args, '-s'], {
        input: dataProgram(wanted, mode),
        encoding: 'utf8',
        env: {
          PATH: `${at('bin')}:${process.env['PATH'] ?? ''}`,
          WEB: at('web'),
          CALLS: at('calls'),
          ...env,
        },
      });
    }

    const file = (content: string, more: Partial<WantedData> = {}): WantedData => ({
      source: { kind: 'https', address: 'https://example.org/x?a=1&b=2', sha256: sha(content) },
      ...{ target: at('out', 'data', 'x'), mount: undefined, include: [], secret: undefined },
      ...more,
    });
    const model = (more: Partial<WantedData> = {}): WantedData => ({
      source: { kind: 'hub', type: 'models', name: 'org/name', revision: 'main' },
      ...{ target: at('out', 'm'), mount: undefined, include: [], secret: undefined },
      ...more,
    });

    it('keeps a file once its hash is right, and does not fetch it again', () => {
      writeFileSync(at('web', 'file'), 'content');
      const { status, stdout, stderr } = run([file('content')]);
      assert.deepEqual([status, stderr], [0, ''], stdout);
      assert.equal(readFileSync(at('out', 'data', 'x'), 'utf8'), 'content');
      assert.match(
        readFileSync(at('out', 'data', 'x.gpu-rental'), 'utf8'),
        /^source https:\/\/example\.org\/x\nrevision sha256:[0-9a-f]{64}\nbytes \d+\ncomplete\n$/,
      );
      assert.deepEqual(readdirSync(at('out', 'data')).sort(), ['x', 'x.gpu-rental']);
      const before = calls();
      assert.match(run([file('content')]).stdout, /x is there already/);
      assert.equal(calls(), before);
    });

    it('names an address in no argument, which other programs could read', () => {
      writeFileSync(at('web', 'file'), 'content');
      assert.equal(readMeasured(run([file('content')], 'measure').stdout, 1)?.[0]?.bytes, 7);
      assert.equal(run([file('content')]).status, 0);
      assert.match(calls(), /^curl .*-K - .*-o /m);
      assert.ok(!calls().includes('a=1'), calls());
    });

    it('waits for another program that fetches the same, and leaves the lock of one that was killed', () => {
      writeFileSync(at('web', 'file'), 'content');
      const lock = at('out', 'data', 'x.lock.gpu-rental');
      mkdirSync(lock, { recursive: true });
      const later = spawn('sh', ['-c', `sleep 1; rmdir '${lock}'`], { stdio: 'ignore' });
      const { status, stdout } = run([file('content')]);
      later.kill();
      assert.match(stdout, /x is being fetched by another program\. Waiting\.\n[^]*x is complete/);
      rmSync(at('out'), { recursive: true });
      mkdirSync(lock, { recursive: true });
      utimesSync(lock, 1, 1);
      assert.deepEqual([status, run([file('content')]).status], [0, 0]);
      assert.deepEqual(readdirSync(at('out', 'data')).sort(), ['x', 'x.gpu-rental']);
    });

    it('keeps the old file until the new one is whole, and none with another hash', () => {
      writeFileSync(at('web', 'file'), 'one');
      run([file('one')]);
      writeFileSync(at('web', 'file'), 'lie');
      const wrong = run([file('two')]);
      assert.deepEqual([wrong.status, readFileSync(at('out', 'data', 'x'), 'utf8')], [1, 'one']);
      assert.match(wrong.stderr, /was not kept: its SHA-256/);
      assert.ok(!existsSync(at('out', 'data', 'x.part')));
      rmSync(at('web', 'file'));
      assert.match(run([file('two')]).stderr, /Could not fetch .*x\. Run this again to continue\./);
      writeFileSync(at('web', 'file'), 'two');
      assert.equal(run([file('two')]).status, 0);
      assert.equal(readFileSync(at('out', 'data', 'x'), 'utf8'), 'two');
    });

    it('leaves what it did not fetch as it is, and shows that before', () => {
      writeFileSync(at('web', 'file'), 'content');
      writeFileSync(at('web', 'hub'), JSON.stringify({ sha: commit }));
      mkdirSync(at('out', 'm'), { recursive: true });
      mkdirSync(at('out', 'data'));
      const ownFiles = [at('out', 'm', 'own'), at('out', 'data', 'x'), at('out', 'data', 'x.old')];
      for (const own of ownFiles) {
        writeFileSync(own, 'own');
      }
      const wanted = [file('content'), model()];
      const states = readMeasured(run(wanted, 'measure').stdout, 2);
      assert.deepEqual(
        states?.map(({ isTaken }) => isTaken),
        [true, true],
      );
      const { status, stderr } = run(wanted);
      assert.equal(status, 1);
      assert.match(stderr, /x exists and was not fetched here\. Rename it/);
      assert.deepEqual(
        ownFiles.map((own) => readFileSync(own, 'utf8')),
        ['own', 'own', 'own'],
      );
      // An empty folder is nothing that could be lost, and a name beside the target is the user's.
      rmSync(at('out', 'm', 'own'));
      rmSync(at('out', 'data', 'x'));
      assert.equal(run(wanted).status, 0);
      run([
        file('content', { source: { kind: 'https', address: 'https://b.org/x', sha256: sha('content') } }),
      ]);
      assert.equal(readFileSync(at('out', 'data', 'x.old'), 'utf8'), 'own');
      // Ended between the new target and its marker.
      rmSync(at('out', 'data', 'x.gpu-rental'));
      writeFileSync(at('out', 'data', 'x.part.gpu-rental'), '');
      assert.equal(run([file('content')]).status, 0);
    });

    it('keeps the query of a presigned address out of its marker, and fetches nothing again for another one', () => {
      writeFileSync(at('web', 'file'), 'content');
      const signed = (signature: string) =>
        file('content', {
          source: { kind: 'https', address: `https://example.org/x?s=${signature}`, sha256: sha('content') },
        });
      run([signed('one')]);
      const { stdout } = run([signed('two')]);
      assert.match(stdout, /x is there already/);
      assert.doesNotMatch(readFileSync(at('out', 'data', 'x.gpu-rental'), 'utf8'), /s=one/);
      assert.match(calls(), /curl .*--proto =https/);
    });

    it('begins from the start where a server can not continue a file', () => {
      writeFileSync(at('bin', 'curl'), '#!/bin/sh\nexit 33\n');
      mkdirSync(at('out', 'data'), { recursive: true });
      const [source, marker] = ['https://example.org/x', `sha256:${sha('content')}`];
      writeFileSync(at('out', 'data', 'x.part.gpu-rental'), `source ${source}\nrevision ${marker}\n`);
      writeFileSync(at('out', 'data', 'x.part'), 'con');
      assert.equal(run([file('content')]).status, 1);
      assert.ok(!existsSync(at('out', 'data', 'x.part')));
      writeFileSync(at('bin', 'curl'), curl);
      writeFileSync(at('web', 'file'), 'content');
      assert.equal(run([file('content')]).status, 0);
    });

    it('fetches a commit of a model, with its token in no argument', () => {
      writeFileSync(at('web', 'hub'), JSON.stringify({ id: 'org/name', sha: commit, siblings: [] }));
      const wanted = model({ include: ['*.bin', 'a b'], secret: 'MY_TOKEN' });
      const { status, stderr } = run([wanted], 'fetch', { MY_TOKEN: 'hf_secret' });
      assert.deepEqual([status, stderr], [0, '']);
      assert.match(calls(), /authorization: Bearer hf_secret/);
      assert.ok(
        !calls()
          .split('\n')
          .some((line) => line.startsWith('curl') && line.includes('hf_secret')),
      );
      assert.match(
        calls(),
        new RegExp(
          `(hf download org/name --repo-type model --revision ${commit} .*--include (\\*\\.bin|a b) token=hf_secret\\n){2}`,
        ),
      );
      assert.deepEqual(readdirSync(at('out', 'm')), ['model.bin']);
      assert.match(run([wanted]).stdout, /m is there already/);
      writeFileSync(at('web', 'hub'), JSON.stringify({ sha: 'd'.repeat(40) }));
      run([wanted]);
      assert.match(calls(), /--revision dddd/);
    });

    it('explains what is missing: a token, a tool, a volume', () => {
      assert.match(
        run([model()]).stderr,
        /Could not read the revision main of org\/name\. It may need a token/,
      );
      writeFileSync(at('web', 'hub'), JSON.stringify({ sha: commit }));
      const { status, stderr } = run([model({ mount: at('nowhere') })]);
      assert.deepEqual([status, existsSync(at('out', 'm'))], [1, false]);
      assert.match(stderr, /No volume is mounted at .*nowhere/);
    });

    it('states sizes, free space and what is missing, and writes nothing', () => {
      writeFileSync(at('web', 'file'), 'content');
      const siblings = [
        { rfilename: 'a', size: 5, lfs: { sha256: 'x', size: 5 } },
        { rfilename: 'b', size: 7 },
      ];
      writeFileSync(at('web', 'hub'), JSON.stringify({ sha: commit, siblings }));
      const { stdout } = run(
        [file('content'), model(), model({ include: ['*'], mount: at('v') })],
        'measure',
      );
      const [one, two, three] = readMeasured(stdout, 3) ?? [];
      assert.ok(readMeasured(run([file('content', { target: '/gone/x' })], 'measure').stdout, 1));
      assert.deepEqual([one?.bytes, two?.bytes, three?.bytes], [7, 12, undefined], stdout);
      assert.ok((one?.freeBytes ?? 0) > 0);
      assert.deepEqual([one?.missing, three?.missing], [[], ['volume']]);
      assert.ok(!existsSync(at('out')));
      run([file('content')]);
      assert.equal(readMeasured(run([file('content')], 'measure').stdout, 1)?.[0]?.isThere, true);
    });

    it('reads an address, a name and a target as words alone', () => {
      const evil = "x'; touch owned; '$(touch owned)`touch owned`";
      writeFileSync(at('web', 'file'), 'content');
      run([
        file('content', {
          target: at('out', evil),
          source: { kind: 'https', address: evil, sha256: sha('content') },
        }),
        model({
          target: at('out', evil),
          include: [evil],
          source: { kind: 'hub', type: 'models', name: evil, revision: evil },
        }),
      ]);
      assert.ok(!existsSync(at('owned')) && !existsSync('owned'));
      assert.equal(readFileSync(at('out', evil), 'utf8'), 'content');
    });
  });
}

describe('what a machine states of data', () => {
  it('is printed by a script that shellcheck has no objection to', () => {
    const rest = { target: '/out/x', mount: undefined, include: [], secret: undefined };
    const items: readonly WantedData[] = [
      { source: { kind: 'https', address: 'https://example.org/x', sha256: sha('x') }, ...rest },
      { source: { kind: 'hub', type: 'models', name: 'org/name', revision: 'main' }, ...rest },
    ];
    const { status, stdout } = spawnSync('shellcheck', ['--shell=sh', '-'], {
      input: dataProgram(items, 'fetch'),
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout);
  });

  it('is nothing without a whole answer, and no more than numbers', () => {
    assert.equal(readMeasured('size 0 5\n', 1), undefined);
    const [one] = readMeasured('size 0 5x\nfree 0 -1\nmissing 0 curl; rm\nmissing 0 hf\nmeasured\n', 1) ?? [];
    assert.deepEqual(one, { isThere: false, isTaken: false, missing: ['hf'] });
  });
});
