import assert from 'node:assert/strict';
import type { AgentRequest } from '../../../../src/agents/model/request';
import { OtherAccountRequests } from '../../../../src/agents/store/otherAccountRequests';
import { fromDollars } from '../../../../src/model/money';
import { openAgentWindow, type AgentWindow } from '../../../support/agentWindows';
import { anInstance, anOffer } from '../../../support/builders';
import type { FakeClock } from '../../../support/fakeClock';
import { scheduleScene, type ScheduleScene } from '../../../support/scheduleWindows';

const hourMs = 3_600_000;
const marker = 'abcd1234';

describe('a rental of an agent in an account that is not active any more', () => {
  let { service, computer, disk } = {} as ScheduleScene;
  let window: AgentWindow;
  let others: OtherAccountRequests;
  let key: string;
  let request: AgentRequest;
  /** When the instances of the other account were listed. */
  let lists: readonly number[];
  let leads: boolean;
  /** How many further looks were planned. */
  let planned: number;

  beforeEach(async () => {
    ({ service, computer, disk } = await scheduleScene({
      instances: [anInstance({ id: 5001, label: 'of the user' })],
    }));
    window = await openAgentWindow(computer, disk);
    key = window.accounts.active?.key ?? '';
    const at = computer.clock.now();
    const price = fromDollars(1);
    request = {
      ...{ id: 'request_cut', requestId: 'cut', tool: 'request_rental', print: '', at, decidedAt: at },
      ...{ caller: { id: 'a', name: 'claude', door: 'mcp' }, state: 'renting', windowId: 'killed', marker },
      commitment: { perHour: price, stoppedPerHour: price, from: at, until: at + 2 * hourMs },
      quote: {
        ...{ id: 'quote_1', accountKey: key, at, expiresAt: at + hourMs, offer: anOffer(), what: 'Ubuntu' },
        ...{ diskGb: 20, hours: 2, then: 'destroy', perHour: price, stoppedPerHour: price, total: price },
      },
    };
    lists = [];
    leads = true;
    planned = 0;
    const { instances } = service.client;
    const list: typeof instances.list = (options) => {
      lists = [...lists, computer.clock.now()];
      return instances.list(options);
    };
    const client = { ...service.client, instances: { ...instances, list } };
    const accounts = Object.create(window.accounts, {
      others: {
        value: async () => (await window.accounts.others()).map((account) => ({ ...account, client })),
      },
    }) as typeof window.accounts;
    const schedule: FakeClock['schedule'] = (...args) => {
      planned += 1;
      return computer.clock.schedule(...args);
    };
    const clock = Object.create(computer.clock, { schedule: { value: schedule } }) as FakeClock;
    others = new OtherAccountRequests({
      ...{ ...window, accounts, clock, desk: () => window.desk },
      storageDir: computer.storageDir,
      isLeader: () => leads,
    });
  });
  afterEach(() => {
    others.dispose();
    return computer.dispose();
  });

  const switchAccount = async () => {
    service.user = { ...service.user, id: 8, email: 'other@example.com' };
    await window.accounts.signIn({ serviceUrl: 'https://console.example.com', apiKey: 'another-key' });
  };
  const listed = () => lists.length;
  const state = async () => (await window.desk.find(request.id, key))?.state;
  const listIt = () => service.instances.push(anInstance({ id: 6001, label: `agent [gr-${marker}]` }));
  /** Until a window that is silent counts as closed. */
  const beSilent = () => computer.clock.advance(121_000);
  const checks = async (times: number) => {
    for (let count = 0; count < times; count += 1) {
      await computer.clock.through(others.check());
      await computer.clock.advance(61_000);
    }
  };

  it('is found by its label where the window was killed, and gets its end', async () => {
    await window.desk.begin(request);
    await switchAccount();
    await beSilent();
    await checks(1);
    assert.equal(await state(), 'renting');
    listIt();
    await checks(1);
    assert.equal(await state(), 'rented');
    assert.deepEqual(
      [...disk.schedules.values()].map(({ instanceId, action, term }) => ({ instanceId, action, term })),
      [{ instanceId: 6001, action: 'destroy', term: { kind: 'at', at: request.commitment?.until } }],
    );
  });

  it('gets its end without a list where its number is known', async () => {
    await window.desk.begin({ ...request, state: 'unknown', instanceId: 6001 });
    await switchAccount();
    await checks(1);
    assert.deepEqual([await state(), disk.schedules.size, listed()], ['rented', 1, 0]);
  });

  it('is left to the window that carries it out, and to its account where nothing was sent', async () => {
    listIt();
    const unsent = { ...request, id: 'request_unsent', requestId: 'unsent' };
    Reflect.deleteProperty(unsent, 'marker');
    await window.desk.begin(unsent);
    await window.desk.begin(request);
    await switchAccount();
    await beSilent();
    await window.desk.working(request.id, () => checks(1));
    assert.deepEqual([await state(), disk.schedules.size, listed()], ['renting', 0, 0]);
  });

  it('is looked for once a minute for ten minutes, and nothing is read after', async () => {
    await window.desk.begin(request);
    await switchAccount();
    await beSilent();
    await computer.clock.through(others.check());
    await computer.clock.through(others.check());
    assert.equal(listed(), 1);
    await checks(15);
    assert.ok(listed() <= 13, lists.join());
  });

  it('is looked for as long if the clock is set forward during it', async () => {
    await window.desk.begin({ ...request, state: 'unknown' });
    await switchAccount();
    computer.clock.jump(3 * hourMs);
    await checks(3);
    assert.equal(await state(), 'unknown');
    listIt();
    await checks(1);
    assert.equal(await state(), 'rented');
    assert.equal(disk.schedules.size, 1);
  });

  it('is looked for where the account was switched within the minute of another look', async () => {
    await window.desk.begin({ ...request, state: 'unknown', instanceId: 6001 });
    await computer.clock.through(others.check());
    await switchAccount();
    await computer.clock.through(others.check());
    await computer.clock.advance(61_000);
    assert.equal(await state(), 'rented');
  });

  it('is looked for again a minute after the disk refused its end', async () => {
    await window.desk.begin({ ...request, state: 'unknown', instanceId: 6001 });
    await switchAccount();
    disk.refusal = new Error('EIO');
    await computer.clock.through(others.check());
    assert.deepEqual([await state(), planned], ['unknown', 1]);
    disk.refusal = undefined;
    await computer.clock.advance(61_000);
    assert.equal(await state(), 'rented');
  });

  it('is not looked for by a window that does not lead or is closed', async () => {
    await window.desk.begin({ ...request, state: 'unknown' });
    await switchAccount();
    leads = false;
    await checks(1);
    assert.equal(listed(), 0);
    leads = true;
    const check = others.check();
    others.dispose();
    await computer.clock.through(check);
    const { length } = lists;
    await checks(1);
    assert.deepEqual([listed(), planned], [length, 0]);
  });

  it('is not read where agents asked for nothing in another account', async () => {
    await switchAccount();
    await checks(2);
    assert.deepEqual([listed(), planned], [0, 0]);
  });
});
