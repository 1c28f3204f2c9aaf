import assert from 'node:assert/strict';
import type { Kernel } from '../../../../src/notebooks/machine/kernels';
import { KernelRows } from '../../../../src/notebooks/ui/kernelRows';
import { only } from '../../../support/only';

describe('the row of a kernel', () => {
  function rowOf(change: Partial<Kernel>) {
    const kernel = {
      id: 'aaaaaaaa',
      name: 'python3',
      isBusy: false,
      isDead: false,
      connections: 1,
      ...change,
    };
    const rows = new KernelRows(
      only({ accounts: { active: {} }, ssh: { aliasOf: () => 'gpu-7' } }),
      only({ kernelsOf: () => [kernel], isSilent: () => false }),
    );
    const item = rows.rows(7)[0]?.item() ?? assert.fail('no row');
    return { description: item.description, tooltip: item.tooltip as string };
  }

  it('shows whether it runs a cell', () => {
    assert.equal(rowOf({}).description, 'idle');
    assert.equal(rowOf({ isBusy: true }).description, 'busy');
  });

  it('does not call a kernel that died idle, with variables that it lost', () => {
    const { description, tooltip } = rowOf({ isDead: true });
    assert.equal(description, 'ended');
    assert.match(tooltip, /variables are lost/);
  });
});
