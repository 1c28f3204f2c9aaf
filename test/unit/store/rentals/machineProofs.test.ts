import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MachineProofs } from '../../../../src/store/rentals/machineProofs';
import { computerScene, passUntil, type ComputerScene } from '../../../support/computerScene';
import { proved } from '../../../support/machineChecks';

describe('What the last logins to machines proved', () => {
  let { computer } = {} as ComputerScene;
  beforeEach(async () => {
    ({ computer } = await computerScene());
  });
  afterEach(() => computer.dispose());

  async function open() {
    const { accounts, hub, owned } = await computer.openSignedIn();
    const { clock, log, storageDir } = computer;
    const proofs = owned.add(new MachineProofs({ accounts, hub, clock, log, storageDir }));
    await proofs.ready;
    const folder = join(storageDir, 'accounts', accounts.active?.key ?? '', 'proofs');
    return { proofs, folder };
  }
  const ids = (proofs: MachineProofs) => proofs.rows.map(({ instanceId }) => instanceId);

  it('is the same in all windows, the latest first, and the last one of each machine', async () => {
    const [{ proofs }, { proofs: others }] = [await open(), await open()];
    const unproved = { kind: 'unproved', stage: 'login', problem: 'authentication' } as const;
    await proofs.keep({ instanceId: 7, at: 1, check: unproved });
    await proofs.keep({ instanceId: 8, at: 2, check: proved });
    await proofs.keep({ instanceId: 7, at: 3, check: proved });
    await passUntil(computer, 'the other window', () => others.find(7)?.at === 3, 0);
    for (const one of [proofs, others]) {
      assert.deepEqual(ids(one), [7, 8]);
      assert.deepEqual(one.find(7), { instanceId: 7, at: 3, check: proved });
      assert.equal(one.find(9), undefined);
    }
  });

  it('is kept of the last two hundred machines, and is nothing of a damaged file', async () => {
    const { proofs, folder } = await open();
    const content = (at: number) => JSON.stringify({ version: 1, at, check: proved });
    await readdir(folder);
    for (let id = 1; id <= 200; id += 1) {
      await writeFile(join(folder, `${id}.json`), id === 1 ? '{ torn' : content(id));
    }
    await proofs.keep({ instanceId: 300, at: 300, check: proved });
    assert.deepEqual([proofs.rows.length, proofs.find(1), proofs.find(2)?.at], [200, undefined, 2]);
    await proofs.keep({ instanceId: 301, at: 301, check: proved });
    assert.deepEqual([proofs.rows.length, proofs.find(2), proofs.find(3)?.at], [200, undefined, 3]);
  });
});
