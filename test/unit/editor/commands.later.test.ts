import assert from 'node:assert/strict';
import { CommandTable } from '../../../src/editor/commands';
import { openScreen } from '../../support/onScreen';

describe('commands whose feature is read with the first of them', () => {
  function tableWith(load: (table: CommandTable) => Promise<void>) {
    openScreen();
    const errors: unknown[] = [];
    const table = new CommandTable((error) => errors.push(error));
    let loads = 0;
    table.register('gpuRental.signIn', () => 'At Once');
    table.registerLater(
      () => true,
      () => {
        loads += 1;
        return load(table);
      },
    );
    return { errors, table, loads: () => loads };
  }

  it('are read once, by those alone that no feature has registered', async () => {
    const { errors, table, loads } = tableWith(async (one) => {
      // Both commands are there before the code is.
      await Promise.resolve();
      one.register('gpuRental.runDoctor', () => 'doctor');
      one.register('gpuRental.copyDiagnostics', () => 'diagnostics');
    });
    assert.equal(await table.run('gpuRental.signIn', []), 'At Once');
    assert.equal(loads(), 0);
    const ran = await Promise.all([
      table.run('gpuRental.runDoctor', []),
      table.run('gpuRental.copyDiagnostics', []),
    ]);
    assert.deepEqual(ran, ['doctor', 'diagnostics']);
    assert.equal(await table.run('gpuRental.runDoctor', []), 'doctor');
    assert.equal(loads(), 1);
    assert.deepEqual(errors, []);
  });

  it('are read again after a failure, which is reported', async () => {
    let isBroken = true;
    const { errors, table } = tableWith((one) => {
      if (isBroken) {
        return Promise.reject(new Error('the disk refused it'));
      }
      one.register('gpuRental.runDoctor', () => 'doctor');
      return Promise.resolve();
    });
    assert.equal(await table.run('gpuRental.runDoctor', []), undefined);
    assert.match(String(errors[0]), /the disk refused it/);
    isBroken = false;
    assert.equal(await table.run('gpuRental.runDoctor', []), 'doctor');
    assert.equal(errors.length, 1);
  });

  it('end with an error where what was read does not handle them', async () => {
    const { errors, table } = tableWith(() => Promise.resolve());
    assert.equal(await table.run('gpuRental.runDoctor', []), undefined);
    assert.match(String(errors[0]), /No handler for gpuRental\.runDoctor/);
  });
});
