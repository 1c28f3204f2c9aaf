import assert from 'node:assert/strict';
import type { Client } from '../../src/api/client';
import type { OwnRequest } from '../../src/model/instances/instanceState';
import type { FaultOrder } from '../../src/simulator/faults';
import { changePower, type PowerRequest } from '../../src/store/instances/power';
import type { Clock } from '../../src/util/clock';
import { toDisposable } from '../../src/util/disposable';
import { silentLog } from '../../src/util/log';
import { useClients } from '../support/apiClient';
import { FakeClock } from '../support/fakeClock';
import { fakeTimeoutMs, runOutOfTime } from '../support/outOfTime';
import { rentRunning } from '../support/rentedInstance';
import { useSimulators, type TestSimulator } from '../support/startSimulator';

/** All waits are over at once: what the simulator does, it does without time passing. */
const hasty: Clock = {
  now: () => Date.now(),
  elapsed: () => Date.now(),
  schedule: (run) => {
    const timer = setImmediate(run);
    return toDisposable(() => {
      clearImmediate(timer);
    });
  },
};

const tookEffect: readonly Omit<FaultOrder, 'path'>[] = [
  { kind: 'dropAfter' },
  { kind: 'html500', after: true },
  { kind: 'cutOff' },
];
const hadNone: readonly Omit<FaultOrder, 'path'>[] = [
  { kind: 'dropBefore' },
  { kind: 'html500' },
  { kind: 'stall' },
];

describe('a request to an instance whose answer is lost', () => {
  const simulators = useSimulators();
  const clients = useClients();

  /** Only a request that is held back runs out of time, however slow the computer is. */
  async function prepared(kind: PowerRequest) {
    const simulator = await simulators.start();
    const clock = new FakeClock();
    const { client } = clients.connect(simulator, { policy: { timeoutMs: fakeTimeoutMs }, clock });
    const id = await rentRunning(simulator, clients.connect(simulator).client);
    if (kind === 'start') {
      await clients.connect(simulator).client.instances.stop(id);
      simulator.advance(60);
    }
    const path = kind === 'reboot' ? `/api/v0/instances/reboot/${id}/` : `/api/v0/instances/${id}/`;
    const sent = () => simulator.received('PUT', path).length;
    const change = async (fault: FaultOrder['kind']) => {
      const verdict = changed(client, id, kind);
      await runOutOfTime(clock, verdict, () => (fault === 'stall' ? sent() : 0));
      return verdict;
    };
    return { simulator, id, path, sent, change };
  }

  async function changed(client: Client, id: number, kind: PowerRequest) {
    let request: OwnRequest | undefined;
    const fleet = {
      facts: () => (request ? { lastRequest: request } : {}),
      note: (_: number, noted: Omit<OwnRequest, 'at'> & { readonly at?: number }) => {
        request = { at: hasty.now(), ...noted };
      },
      forget: () => {
        request = undefined;
      },
    };
    const before = await client.instances.get(id);
    assert.ok(before);
    return changePower({ fleet, clock: hasty, log: silentLog }, { key: 'account', client }, before, kind);
  }

  const intended = (simulator: TestSimulator, id: number) => simulator.world.instance(id)?.intendedStatus;
  const aims = [
    ['start', 'running', 'stopped'],
    ['stop', 'stopped', 'running'],
  ] as const;

  for (const [kind, aim, former] of aims) {
    it(`is found done after a ${kind} that took effect, and sent once`, async () => {
      for (const fault of tookEffect) {
        const { simulator, id, path, sent, change } = await prepared(kind);
        const before = sent();
        simulator.fail({ ...fault, method: 'PUT', path });
        assert.equal(await change(fault.kind), 'done', fault.kind);
        assert.equal(intended(simulator, id), aim);
        assert.equal(sent() - before, 1);
      }
    });

    it(`is found not done after a ${kind} that had none, and not sent again`, async () => {
      for (const fault of hadNone) {
        const { simulator, id, path, sent, change } = await prepared(kind);
        const before = sent();
        simulator.fail({ ...fault, method: 'PUT', path });
        assert.equal(await change(fault.kind), 'notDone', fault.kind);
        assert.equal(intended(simulator, id), former);
        assert.equal(sent() - before, 1);
      }
    });

    it(`is unconfirmed after a ${kind} if nothing can be read`, async () => {
      const { simulator, path, change } = await prepared(kind);
      simulator.fail({ kind: 'dropAfter', method: 'PUT', path });
      // The record that it is compared with is read first.
      simulator.fail({ kind: 'dropBefore', method: 'GET', path, skip: 1, times: 0 });
      assert.equal(await change('dropAfter'), 'notKnown');
    });
  }

  it('shows a reboot by the container that ends', async () => {
    for (const [fault, verdict] of [
      ['dropAfter', 'done'],
      ['dropBefore', 'notDone'],
    ] as const) {
      const { simulator, path, sent, change } = await prepared('reboot');
      simulator.fail({ kind: fault, method: 'PUT', path });
      assert.equal(await change(fault), verdict);
      assert.equal(sent(), 1);
    }
  });
});
