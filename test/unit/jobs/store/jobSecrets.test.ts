import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { jobSecretsKey } from '../../../../src/jobs/manifest';
import { JobSecrets, secretUseOf } from '../../../../src/jobs/store/jobSecrets';
import { sized, testSeed } from '../../../support/seeded';
import { useFolder } from '../../../support/useFolder';

describe('the values of secrets for jobs', () => {
  const kept = new Map<string, string>();
  const store = {
    get: (key: string) => Promise.resolve(kept.get(key)),
    store: (key: string, value: string) => Promise.resolve(void kept.set(key, value)),
  };
  const secrets = new JobSecrets(store, 'ada');
  const train = { folder: '/ws', job: 'train' };
  const others = [
    { folder: '/ws', job: 'eval' },
    { folder: '/other', job: 'train' },
  ];
  beforeEach(() => {
    kept.clear();
  });

  it('are kept beside each other, and read by name', async () => {
    await secrets.keep(train, 'HF_TOKEN', 'one');
    await secrets.keep(train, 'WANDB_API_KEY', 'two');
    await secrets.keep(train, 'EMPTY', '');
    assert.deepEqual(await secrets.read(train, ['WANDB_API_KEY', 'MISSING', 'EMPTY', 'HF_TOKEN']), {
      WANDB_API_KEY: 'two',
      EMPTY: '',
      HF_TOKEN: 'one',
    });
  });

  it('belong to the folder and the job that they were entered for', async () => {
    await secrets.keep(train, 'HF_TOKEN', 'one');
    for (const use of others) {
      assert.deepEqual(await secrets.read(use, ['HF_TOKEN']), {});
    }
    await secrets.keep({ folder: '/other', job: 'train' }, 'HF_TOKEN', 'two');
    assert.deepEqual(await secrets.read(train, ['HF_TOKEN']), { HF_TOKEN: 'one' });
  });

  it('are never given to a job without a question, for any values that are entered, changed and removed', async () => {
    const use = fc.record({ folder: fc.constantFrom('/a', '/b', '/A'), job: fc.constantFrom('x', 'y') });
    const name = fc.constantFrom('HF_TOKEN', 'KEY');
    const step = fc.oneof(
      fc.record({ kind: fc.constant('keep' as const), use, name, value: fc.constantFrom('1', '2', '3') }),
      fc.record({ kind: fc.constantFrom('change' as const, 'remove' as const), at: fc.nat(5) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        kept.clear();
        const allowed = new Map<string, string>();
        for (const one of steps) {
          if (one.kind === 'keep') {
            await secrets.keep(one.use, one.name, one.value);
            allowed.set(JSON.stringify([one.use.folder, one.use.job, one.name]), one.value);
            continue;
          }
          const secret = (await secrets.all())[one.at];
          if (!secret) {
            continue;
          }
          await (one.kind === 'change' ? secrets.change(secret, 'new') : secrets.remove(secret));
          for (const { folder, job } of secret.uses) {
            const key = JSON.stringify([folder, job, secret.name]);
            if (one.kind === 'change') {
              allowed.set(key, 'new');
            } else {
              allowed.delete(key);
            }
          }
        }
        for (const folder of ['/a', '/b', '/A']) {
          for (const job of ['x', 'y']) {
            const expected = ['HF_TOKEN', 'KEY'].flatMap((one) => {
              const value = allowed.get(JSON.stringify([folder, job, one]));
              return value === undefined ? [] : [[one, value]];
            });
            const found = await secrets.read({ folder, job }, ['HF_TOKEN', 'KEY']);
            assert.deepEqual(found, Object.fromEntries(expected));
          }
        }
      }),
      { seed: testSeed, numRuns: sized(200, 5000) },
    );
  });

  it('are one where several jobs use the same, changed and removed together', async () => {
    for (const use of [train, ...others]) {
      await secrets.keep(use, 'HF_TOKEN', 'one');
    }
    await secrets.keep(train, 'KEY', 'two');
    const [token, key] = await secrets.all();
    assert.ok(token && key);
    assert.deepEqual([token.name, token.uses.length, key.name], ['HF_TOKEN', 3, 'KEY']);
    await secrets.change(token, 'three');
    assert.deepEqual(await secrets.read(others[0] ?? train, ['HF_TOKEN']), { HF_TOKEN: 'three' });
    await secrets.remove({ ...token, value: 'three' });
    assert.deepEqual(await secrets.all(), [key]);
  });

  it('are none for names that every object has', async () => {
    assert.deepEqual(await secrets.read(train, ['constructor', 'toString', '__proto__']), {});
  });

  it('are asked for again where the entry is broken, and another account has none of them', async () => {
    await secrets.keep(train, 'HF_TOKEN', 'one');
    assert.deepEqual(await new JobSecrets(store, 'grace').read(train, ['HF_TOKEN']), {});
    for (const broken of ['[{"name":"HF_TOKEN","value":7}]', '{"HF_TOKEN":"of every job"}', '[']) {
      kept.set(jobSecretsKey('ada'), broken);
      assert.deepEqual(await secrets.read(train, ['HF_TOKEN']), {});
    }
  });

  it('are not read where the store refuses', async () => {
    const locked = new JobSecrets({ ...store, get: () => Promise.reject(new Error('locked')) }, 'ada');
    await assert.rejects(locked.read(train, ['HF_TOKEN']), /locked/);
  });

  describe('of a folder', () => {
    let folder = '';
    useFolder((made) => void (folder = realpathSync(made)));

    it('are those of its real path, so a link to another folder is another one', async () => {
      for (const name of ['one', 'two']) {
        mkdirSync(path.join(folder, name));
      }
      const link = path.join(folder, 'link');
      symlinkSync(path.join(folder, 'one'), link);
      const spec = { name: 'train LR=1', nameInFile: 'train' };
      const use = await secretUseOf({ workspace: link, spec });
      assert.deepEqual(use, { folder: path.join(folder, 'one'), job: 'train' });
      rmSync(link);
      symlinkSync(path.join(folder, 'two'), link);
      assert.notDeepEqual(await secretUseOf({ workspace: link, spec }), use);
    });
  });
});
