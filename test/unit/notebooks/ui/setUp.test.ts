import assert from 'node:assert/strict';
import { JupyterMissingError } from '../../../../src/notebooks/ui/connections';
import { setUpServer } from '../../../../src/notebooks/ui/setUp';
import { useCommands, useScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';
import { until } from '../../../support/until';

describe('The set-up of an instance for notebooks', () => {
  const screen = useScreen();
  useCommands(() => 'gpu-7');

  const setUp = (connect: () => Promise<object> | undefined, accounts: object = { active: { key: 'own' } }) =>
    setUpServer(
      only({
        accounts,
        connections: { connect },
        ssh: { exec: () => Promise.resolve({ stdout: 'gpu-rental notebooks\ninstalled\n' }) },
      }),
      { alias: 'gpu-7', accountKey: 'own', instanceId: 7, name: 'trainer' },
    );
  const endless = () => new Promise<never>(() => undefined);

  /** Presses a button once the message or progress that begins so is shown. */
  async function press(button: string, title: RegExp): Promise<void> {
    const shown = () => screen.messages.shown.find(({ text }) => title.test(text));
    (await until(`the message ${String(title)}`, shown)).press(button);
  }

  it('begins with nothing where another account is active by now', async () => {
    const steps: string[] = [];
    for (const [active, reason] of [
      [undefined, /You are not signed in/],
      [{ key: 'other' }, /belongs to another account/],
    ] as const) {
      await assert.rejects(
        setUp(() => void steps.push('connect'), { active }),
        reason,
      );
    }
    assert.deepEqual(steps, []);
  });

  it('ends where the user cancels the connection, which others may wait for', async () => {
    const server = setUp(endless);
    await press('Cancel', /^Connecting to/);
    assert.equal(await server, undefined);
  });

  it('ends where the user cancels the connection after the installation', async () => {
    const attempts = [() => Promise.reject(new JupyterMissingError('/usr/bin/python3')), endless];
    const server = setUp(() => attempts.shift()?.());
    await press('Install', /./);
    await press('Cancel', /^Setting up Jupyter/);
    assert.equal(await server, undefined);
  });
});
