import assert from 'node:assert/strict';
import type { MachineProof } from '../../../../src/model/proof/machineProof';
import type { CheckedInstance } from '../../../../src/store/rentals/machineProofs';
import { faultNotice, RunningProofs } from '../../../../src/store/rentals/runningProofs';
import { Notices } from '../../../../src/store/windows/notices';
import { Presence } from '../../../../src/store/windows/presence';
import { anInstance } from '../../../support/builders';
import { computerScene, type ComputerScene } from '../../../support/computerScene';
import { proved } from '../../../support/machineChecks';

const id = 5001;
const minute = 60_000;
const hour = 60 * minute;
const alias = (instanceId: number) => `gpu-${instanceId}`;

describe('The proof of a machine while it runs', () => {
  let scene = {} as ComputerScene;
  let probes: number;
  let answer: Partial<MachineProof> | undefined | Error;
  let isWanted: boolean;
  let mayAnswer: Promise<void>;
  beforeEach(async () => {
    scene = await computerScene({ instances: [anInstance({ id, gpuCount: 1 })] });
    [probes, answer, isWanted, mayAnswer] = [0, {}, true, Promise.resolve()];
  });
  afterEach(() => scene.computer.dispose());

  async function open() {
    const { computer } = scene;
    const window = await computer.openSignedIn();
    const { accounts, fleet, hub, owned, rentals } = window;
    const { clock, log } = computer;
    const presence = owned.add(new Presence({ hub, clock }));
    const notices = owned.add(new Notices(hub));
    const told: string[][] = [];
    owned.add(notices.onDidPost(({ data }) => told.push([...faultNotice.parse(data).told])));
    const rows = new Map<number, CheckedInstance>();
    const proofs = {
      ready: Promise.resolve(),
      find: (instanceId: number) => rows.get(instanceId),
      keep: (row: CheckedInstance) => Promise.resolve(void rows.set(row.instanceId, row)),
    };
    const running = owned.add(
      new RunningProofs({
        accounts,
        fleet,
        rentals,
        proofs,
        hub,
        presence,
        notices,
        clock,
        log,
        aliasOf: (_, instanceId) => alias(instanceId),
        isWanted: () => isWanted,
        probe: async () => {
          probes += 1;
          await mayAnswer;
          if (answer instanceof Error) {
            throw answer;
          }
          return answer && { ...proved.proof, ...answer, at: clock.now() };
        },
      }),
    );
    await clock.advance(0);
    await fleet.refresh();
    const connect = () => presence.set('terminal', [alias(id)]);
    const leave = () => presence.set('terminal', []);
    const pass = async (ms: number) => {
      for (let left = ms; left > 0; left -= 10 * minute) {
        await clock.advance(Math.min(left, 10 * minute));
      }
    };
    const start = () => proofs.keep({ instanceId: id, at: clock.now(), check: proved });
    return { ...window, clock, proofs, rows, running, told, connect, leave, pass, start };
  }

  it('is made a while after a connection, not beside the login of the user, and not twice in ten minutes', async () => {
    const { connect, leave, pass, start } = await open();
    await start();
    connect();
    await pass(minute);
    assert.equal(probes, 0, 'it was just checked');
    leave();
    await pass(20 * minute);
    connect();
    await pass(10_000);
    assert.equal(probes, 0, 'the user logs in');
    await pass(20_000);
    assert.equal(probes, 1);
    leave();
    await pass(1000);
    connect();
    await pass(5 * minute);
    assert.equal(probes, 1);
  });

  it('is made once a day while the connection lasts, and never without one', async () => {
    const { connect, leave, pass, start } = await open();
    await start();
    await pass(50 * hour);
    assert.equal(probes, 0);
    connect();
    await pass(hour);
    assert.equal(probes, 1);
    await pass(22 * hour);
    assert.equal(probes, 1);
    await pass(2 * hour);
    assert.equal(probes, 2);
    leave();
    await pass(50 * hour);
    assert.equal(probes, 2);
  });

  it('is not made after the end of a connection that began again during a probe', async () => {
    let end: () => void = () => undefined;
    mayAnswer = new Promise((resolve) => {
      end = resolve;
    });
    const { connect, leave, pass } = await open();
    connect();
    await pass(minute);
    assert.equal(probes, 1);
    leave();
    await pass(1000);
    connect();
    end();
    await pass(minute);
    leave();
    await pass(50 * hour);
    assert.equal(probes, 1);
  });

  it('is not made where the user wants no such logins', async () => {
    isWanted = false;
    const { connect, pass, running, accounts } = await open();
    connect();
    await pass(hour);
    assert.deepEqual([probes, running.isDue(accounts.active?.key ?? '', id)], [0, false]);
  });

  it('shows each fault once, and keeps it beside the check', async () => {
    const { accounts, proofs, running, start, told, clock } = await open();
    await start();
    const key = accounts.active?.key ?? '';
    const learn = (later: Partial<MachineProof>) =>
      running.learn(key, id, { ...proved.proof, ...later, at: clock.now() });
    const xid = { kind: 'xid', number: 79 } as const;
    await learn({ faults: [xid] });
    await learn({ faults: [xid] });
    await learn({ faults: [xid], gpus: [], kind: 'none' });
    await learn({});
    await learn({ faults: [xid] });
    assert.deepEqual(told, [[], ['xid  79']]);
    assert.deepEqual(proofs.find(id)?.check, proved);
    assert.deepEqual(proofs.find(id)?.later?.told, ['xid  79', 'noGpu']);
  });

  it('is nothing of an earlier start, of another account, or of an instance that is gone', async () => {
    const { accounts, proofs, rows, running, start, told, clock } = await open();
    await start();
    const key = accounts.active?.key ?? '';
    const broken = { ...proved.proof, gpus: [], kind: 'none' as const };
    await running.learn(key, id, { ...broken, at: clock.now() - 1 });
    await running.learn('another', id, { ...broken, at: clock.now() });
    await running.learn(key, id + 1, { ...broken, at: clock.now() });
    assert.deepEqual([told, rows.size, proofs.find(id)?.later], [[], 1, undefined]);
  });

  async function withoutAnswer(none: undefined | Error) {
    const { connect, pass, proofs, told, start } = await open();
    await start();
    await pass(hour);
    answer = none;
    connect();
    await pass(10 * minute);
    assert.deepEqual([probes, told, proofs.find(id)?.later], [1, [], undefined]);
    answer = { gpus: [], kind: 'none' };
    await pass(hour);
    assert.deepEqual([probes, told], [2, [[]]]);
  }
  it('is neither fine nor a fault without an answer, and is made again in an hour', () =>
    withoutAnswer(undefined));
  it('is neither fine nor a fault after an error', () => withoutAnswer(new Error('cut')));
});
