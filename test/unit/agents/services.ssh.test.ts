import assert from 'node:assert/strict';
import { agentSsh } from '../../../src/agents/services';
import { silentLog } from '../../../src/util/log';
import { FakeClock } from '../../support/fakeClock';
import { only } from '../../support/only';

describe('What an agent does over SSH', () => {
  const client = {
    instances: { keys: () => Promise.resolve({ items: [], skipped: 0 }), logs: () => Promise.resolve('') },
    sshKeys: { list: () => Promise.resolve({ items: [], skipped: 0 }) },
  };
  const account = { client, user: {} } as never;
  const { signal } = new AbortController();

  /** Everything that is done, where the check of this number refuses. */
  async function done(refused: number, act: 'prepare' | 'run') {
    const steps: string[] = [];
    const ssh = {
      localKeys: () => Promise.resolve([]),
      prepare: () => Promise.resolve({ alias: `gpu-${steps.push('entry')}` }),
      commandLine: (alias: string) => `ssh ${alias}`,
      exec: () => {
        steps.push('command');
        return Promise.resolve({ code: 0, stdout: '', stderr: '' });
      },
    };
    let checks = 0;
    const checkNow = () => {
      checks += 1;
      return checks === refused ? Promise.reject(new Error('not now')) : Promise.resolve();
    };
    const clock = new FakeClock();
    const tested = agentSsh(
      only({
        ssh,
        fleet: { find: () => undefined },
        clock,
        log: silentLog,
      }),
    );
    const work: Promise<unknown> =
      act === 'prepare'
        ? tested.prepare(account, 7, checkNow)
        : tested.run(account, 7, 'ls', { timeoutMs: 1000, signal, checkNow });
    if (refused > 0) {
      await assert.rejects(work, /not now/);
    } else {
      await work;
    }
    return steps;
  }

  it('is looked at before the entry is written, and again before a command', async () => {
    assert.deepEqual(await done(0, 'prepare'), ['entry']);
    assert.deepEqual(await done(1, 'prepare'), []);
    assert.deepEqual(await done(0, 'run'), ['entry', 'command']);
    assert.deepEqual(await done(1, 'run'), []);
    assert.deepEqual(await done(2, 'run'), ['entry']);
  });
});
