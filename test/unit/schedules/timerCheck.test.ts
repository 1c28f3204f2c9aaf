import assert from 'node:assert/strict';
import type { MachineProof } from '../../../src/model/proof/machineProof';
import { proveTimer } from '../../../src/schedules/timerCheck';
import { silentLog } from '../../../src/util/log';
import { anInstance } from '../../support/builders';
import { only } from '../../support/only';

const instance = anInstance();
const probe = [
  'gpu-rental proof',
  'smi 0, NVIDIA GeForce RTX 4090, 24564, 570.1, 0, Disabled',
  'smi-code 0',
  'end',
];

describe('The daily check of a timer', () => {
  async function check(lines: readonly string[], isDue = true) {
    const scripts: string[] = [];
    const learned: MachineProof[] = [];
    const kind = await proveTimer(
      only({
        log: silentLog,
        clock: { now: () => 5 },
        ssh: only({
          entry: () => Promise.resolve(only({})),
          prepare: () => Promise.resolve(only({ alias: 'gpu-1' })),
          exec: (_: string, script: string) => {
            scripts.push(script);
            return Promise.resolve(only({ stdout: lines.join('\n') }));
          },
        }),
        runningProofs: {
          isDue: () => isDue,
          learn: (_: string, id: number, proof: MachineProof) => {
            assert.equal(id, instance.id);
            return Promise.resolve(void learned.push(proof));
          },
        },
      }),
      only({ key: 'a', serviceUrl: 'https://a.example', isDemo: false, client: only({}) }),
      instance,
      only({ action: 'stop', term: { kind: 'at', at: 9 } }),
      { token: 'ab', at: 9, provedAt: 0 },
    );
    return { kind, learned, logins: scripts.length, isProbed: scripts[0]?.includes('gpu-rental proof') };
  }

  it('probes the machine in the same login', async () => {
    const { learned, ...rest } = await check(['armed curl', ...probe]);
    assert.deepEqual(rest, { kind: 'armed', logins: 1, isProbed: true });
    assert.deepEqual([learned.length, learned[0]?.at, learned[0]?.gpus.length], [1, 5, 1]);
  });

  it('probes nothing where that is not due', async () => {
    const { learned, ...rest } = await check(['armed curl'], false);
    assert.deepEqual([rest, learned], [{ kind: 'armed', logins: 1, isProbed: false }, []]);
  });

  it('keeps its own answer beside all output of the probe, and no part of one', async () => {
    assert.equal((await check([...probe.slice(0, 1), 'armed curl', 'not-alive'])).kind, 'nothing');
    const busy = await check(['not-alive', 'gpu-rental proof', 'busy']);
    assert.deepEqual([busy.kind, busy.learned], ['gone', []]);
    assert.deepEqual((await check(['armed curl', ...probe.slice(0, 3)])).learned, []);
  });
});
