import assert from 'node:assert/strict';
import type * as product from '../../../../src/features/notebooks/setUp';
import { loadSource } from '../../../support/fakeEditor/product';

describe('The set-up of an instance for notebooks', () => {
  const { setUpServer } = loadSource('src/features/notebooks/setUp.ts', {
    vscode: { l10n: { t: (words: string) => words } },
  }) as typeof product;

  it('begins with nothing where another account is active by now', async () => {
    const steps: string[] = [];
    const connections = { connect: () => steps.push('connect') };
    for (const active of [undefined, { key: 'other' }]) {
      await assert.rejects(
        setUpServer({ accounts: { active }, connections, ssh: {} } as never, {
          alias: 'gpu-7',
          accountKey: 'own',
          instanceId: 7,
          name: 'trainer',
        }),
        /belongs to another account/,
      );
    }
    assert.deepEqual(steps, []);
  });
});
