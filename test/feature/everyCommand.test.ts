import assert from 'node:assert/strict';
import { shapeNames, useEveryCommand } from '../support/feature/everyCommand';
import { useComputer } from '../support/feature/useComputer';

for (const isSignedIn of [false, true]) {
  describe(`every command, ${isSignedIn ? 'with an instance that runs' : 'signed out'}`, () => {
    const computer = useComputer({ simulator: { sshServer: true } });
    const problemsWith = useEveryCommand(computer, { isSignedIn, access: 'off' });

    for (const shape of shapeNames) {
      it(`ends with a message and spends nothing, given ${shape}`, async () => {
        assert.deepEqual(await problemsWith(shape), []);
      });
    }
  });
}
