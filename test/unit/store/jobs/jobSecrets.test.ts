import assert from 'node:assert/strict';
import { JobSecrets, jobSecretsKey } from '../../../../src/store/jobs/jobSecrets';

describe('the values of secrets for jobs', () => {
  const kept = new Map<string, string>();
  const store = {
    get: (key: string) => Promise.resolve(kept.get(key)),
    store: (key: string, value: string) => Promise.resolve(void kept.set(key, value)),
  };
  const secrets = new JobSecrets(store, 'ada');
  beforeEach(() => {
    kept.clear();
  });

  it('are kept beside each other, and read by name', async () => {
    await secrets.keep({ HF_TOKEN: 'one' });
    await secrets.keep({ WANDB_API_KEY: 'two', EMPTY: '' });
    assert.deepEqual(await secrets.read(['WANDB_API_KEY', 'MISSING', 'EMPTY', 'HF_TOKEN']), {
      WANDB_API_KEY: 'two',
      EMPTY: '',
      HF_TOKEN: 'one',
    });
  });

  it('are listed by name, and removed one by one', async () => {
    await secrets.keep({ WANDB_API_KEY: 'two', HF_TOKEN: 'one' });
    assert.deepEqual(await secrets.names(), ['HF_TOKEN', 'WANDB_API_KEY']);
    await secrets.remove('HF_TOKEN');
    await secrets.remove('MISSING');
    assert.deepEqual(await secrets.names(), ['WANDB_API_KEY']);
  });

  it('are none for names that every object has', async () => {
    assert.deepEqual(await secrets.read(['constructor', 'toString', '__proto__']), {});
  });

  it('are asked for again where the entry is broken, and another account has none of them', async () => {
    await secrets.keep({ HF_TOKEN: 'one' });
    assert.deepEqual(await new JobSecrets(store, 'grace').read(['HF_TOKEN']), {});
    kept.set(jobSecretsKey('ada'), '{"HF_TOKEN":7}');
    assert.deepEqual(await secrets.read(['HF_TOKEN']), {});
  });

  it('are not read where the store refuses', async () => {
    const locked = new JobSecrets({ ...store, get: () => Promise.reject(new Error('locked')) }, 'ada');
    await assert.rejects(locked.read(['HF_TOKEN']), /locked/);
  });
});
