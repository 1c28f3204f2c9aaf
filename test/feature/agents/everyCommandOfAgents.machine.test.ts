import assert from 'node:assert/strict';
import { shapeNames, useEveryCommand } from '../../support/feature/everyCommand';
import { useComputer } from '../../support/feature/useComputer';

describe('every command, while agents are let in', () => {
  const computer = useComputer({ simulator: { sshServer: true } });
  const problemsWith = useEveryCommand(computer, { isSignedIn: true, access: 'ask' });

  for (const shape of shapeNames) {
    it(`ends with a message and spends nothing, given ${shape}, with an instance that runs`, async () => {
      assert.deepEqual(await problemsWith(shape), []);
    });
  }
});
