import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { factsOf, oddities, ParkedScene } from '../../../support/parkedScene';

describe('A folder that the service copies to an instance', function () {
  this.timeout(60_000);
  let scene: ParkedScene;

  beforeEach(() => {
    scene = new ParkedScene();
  });
  afterEach(() => scene.dispose());

  /** Lists a folder, and copies it as rsync does. */
  const copied = async (leftOut: readonly string[] = []) => {
    const manifest = await scene.pieces().list(scene.root, leftOut);
    const { path } = await scene.pieces().carry(manifest, 'begin');
    const old = `${scene.there}.old`;
    renameSync(scene.there, old);
    const copy = (...flags: readonly string[]) => {
      execFileSync('rsync', ['-a', ...flags, `${old}/`, path]);
    };
    return { manifest, copy, path, look: () => scene.pieces().carry(manifest, 'look') };
  };

  it('gets its name once the instance has listed all of it with the same hashes', async () => {
    scene.make(oddities);
    const before = factsOf(scene.there);
    const { copy, look } = await copied();
    const empty = await look();
    assert.deepEqual([empty.root, existsSync(scene.there)], [undefined, false]);
    copy('-H', '--exclude=random');
    const part = await look();
    assert.equal(part.root, undefined);
    assert.notEqual(part.seen, empty.seen);
    copy('-H');
    assert.equal((await look()).root, scene.root);
    assert.deepEqual(factsOf(scene.there), before);
    assert.equal((await look()).root, scene.root, 'once');
    assert.deepEqual(readdirSync(dirname(scene.there)).sort(), ['project', 'project.old']);
  });

  it('loses there what was left out, also tokens', async () => {
    scene.make('mkdir -p .venv/lib .hf_home; echo x >.venv/lib/a; echo t >.hf_home/token; echo one >a');
    scene.make('find . -exec touch -d 2001-02-03T04:05:06.123456789 {} +');
    const { copy, look } = await copied(['.venv']);
    copy();
    const found = await look();
    assert.equal(found.root, scene.root, JSON.stringify(found));
    assert.deepEqual(readdirSync(scene.there).sort(), ['.hf_home', 'a']);
    assert.deepEqual(readdirSync(join(scene.there, '.hf_home')), []);
  });

  it('is never named with other bytes, and leaves nothing once it is given up', async () => {
    scene.make('echo one >a; touch -d @1700000000 a .');
    const { copy, look, path, manifest } = await copied();
    copy();
    writeFileSync(join(path, 'a'), 'two\n');
    [join(path, 'a'), path].forEach((one) => {
      utimesSync(one, 1_700_000_000, 1_700_000_000);
    });
    const { root, isWrong } = await look();
    assert.deepEqual([root, isWrong, existsSync(scene.there)], [undefined, true, false]);
    await scene.pieces().carry(manifest, 'drop');
    assert.deepEqual(readdirSync(path), []);
  });
});
