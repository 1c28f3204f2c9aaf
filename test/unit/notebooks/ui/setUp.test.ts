import assert from 'node:assert/strict';
import { loadSource } from '../../../support/fakeEditor/product';
import type * as product from '../../../support/notebookSetUp';
import { only } from '../../../support/only';
import { until } from '../../../support/until';

describe('The set-up of an instance for notebooks', () => {
  const progress: { readonly title: string; readonly cancel: () => void }[] = [];
  const { JupyterMissingError, runOwnCommandsFrom, setUpServer } = loadSource(
    'test/support/notebookSetUp.ts',
    {
      vscode: {
        ProgressLocation: { Notification: 15 },
        l10n: { t: (words: string) => words },
        window: {
          showWarningMessage: (_: string, __: object, ...buttons: { readonly title: string }[]) =>
            Promise.resolve(buttons.find(({ title }) => title === 'Install')),
          withProgress: (
            { title }: { readonly title: string },
            run: (progress: object, token: object) => Promise<unknown>,
          ) => {
            const onCancellationRequested = (cancel: () => void) => {
              progress.push({ title, cancel });
              return { dispose: () => undefined };
            };
            return run({}, { onCancellationRequested });
          },
        },
      },
    },
  ) as typeof product;
  runOwnCommandsFrom(only({ run: () => Promise.resolve('gpu-7') }));

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

  async function cancel(title: RegExp): Promise<void> {
    await until('the progress', () => progress.some((one) => title.test(one.title)));
    progress.splice(0).forEach((one) => {
      one.cancel();
    });
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
    await cancel(/^Connecting notebooks/);
    assert.equal(await server, undefined);
  });

  it('ends where the user cancels the connection after the installation', async () => {
    const attempts = [() => Promise.reject(new JupyterMissingError('/usr/bin/python3')), endless];
    const server = setUp(() => attempts.shift()?.());
    await cancel(/^Setting up Jupyter/);
    assert.equal(await server, undefined);
  });
});
