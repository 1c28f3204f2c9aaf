import assert from 'node:assert/strict';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { AgentRequest } from '../../../../src/agents/model/request';
import { fromDollars, zero } from '../../../../src/model/money';
import { openAgentWindow, wideLimits, type AgentWindow } from '../../../support/agentWindows';
import { FakeService } from '../../../support/fakeService';
import { FakeComputer } from '../../../support/fakeWindows';
import { FakeScheduleDisk } from '../../../support/scheduleWindows';

const hourMs = 3_600_000;
const limits = { ...wideLimits, perDay: 5, perHour: 1.5, instances: 1, questionsPerHour: 3 };

describe('The limits of agents where the user has several accounts', () => {
  let computer: FakeComputer;
  let window: AgentWindow;
  let first: string;
  let second: string;
  let count: number;

  const key = () => window.accounts.active?.key ?? '';
  const wanted = (more: Partial<AgentRequest> = {}): AgentRequest => {
    count += 1;
    const at = computer.clock.now();
    return {
      id: `request_${count}`,
      requestId: `own ${count}`,
      tool: 'request_rental',
      print: `print ${count}`,
      caller: { id: 'chat', name: 'the chat', door: 'chat' },
      at,
      state: 'pending',
      commitment: { perHour: fromDollars(1), stoppedPerHour: zero, from: at, until: at + 2 * hourMs },
      ...more,
    };
  };
  const open = async (set = limits) => {
    window = await openAgentWindow(computer, new FakeScheduleDisk(), { limits: set });
    first = key();
  };
  const switchToSecond = async () => {
    await window.accounts.signIn({ serviceUrl: 'https://other.example.com', apiKey: 'another-key' });
    second = key();
    assert.notEqual(second, first);
  };
  /** An agent rents in the first account, then the user switches. */
  const rentThenSwitch = async () => {
    await window.desk.begin(wanted({ state: 'rented', instanceId: 7 }));
    await switchToSecond();
  };
  const ask = () => window.desk.ask(wanted(), key());
  const fileOf = (account: string) =>
    path.join(computer.storageDir, 'accounts', account, 'agents', 'requests.json');

  beforeEach(async () => {
    count = 0;
    computer = await FakeComputer.make(new FakeService().client);
  });
  afterEach(() => computer.dispose());

  it('are one limit: what an agent has in one leaves less in the other', async () => {
    await open();
    await rentThenSwitch();
    await assert.rejects(ask(), /The limit of instances that agents have at once is 1/);
    const { elsewhere } = await window.desk.gate();
    assert.deepEqual(elsewhere, { today: fromDollars(2), perHour: fromDollars(1), instances: 1 });
    await computer.clock.advance(2 * hourMs);
    assert.equal((await ask()).state, 'pending', 'its agreed end is over');
  });

  for (const [name, one, why] of [
    ['an hour', { perHour: 1.5, perDay: 100 }, /Instances of agents may cost \$1\.5\/h together/],
    ['a day', { perHour: 100, perDay: 3 }, /Agents may commit to \$3 a day/],
  ] as const) {
    it(`hold for ${name} in all accounts together`, async () => {
      await open({ ...limits, ...one, instances: 10 });
      await rentThenSwitch();
      await assert.rejects(ask(), why);
    });
  }

  it('apply to a yes of the user, too', async () => {
    await open();
    await switchToSecond();
    const { id } = await ask();
    await window.accounts.switchTo(first);
    await window.desk.begin(wanted({ state: 'renting' }));
    await window.accounts.switchTo(second);
    assert.equal((await window.desk.answer(id, true))?.state, 'overLimit');
  });

  it('count the questions of all', async () => {
    await open();
    for (let times = 0; times < 3; times += 1) {
      const { id } = await ask();
      await window.desk.answer(id, false);
    }
    await switchToSecond();
    await assert.rejects(ask(), /The limit of questions to the user is 3 an hour/);
  });

  it('leave nothing while the file of another account can’t be read', async () => {
    await open({ ...limits, instances: 10 });
    await rentThenSwitch();
    await rename(fileOf(first), `${fileOf(first)}.away`);
    await mkdir(fileOf(first));
    await assert.rejects(ask(), /what they spent could not be read/);
    await rm(fileOf(first), { recursive: true });
    await rename(`${fileOf(first)}.away`, fileOf(first));
    await assert.rejects(ask(), /may cost \$1\.5\/h together/);
  });

  it('leave nothing where the file of another account is damaged, until the user allows it', async () => {
    await open();
    await rentThenSwitch();
    await writeFile(fileOf(first), '{"requests":');
    await assert.rejects(ask(), /what they spent could not be read/);
    assert.equal(await window.desk.isClosed(), true);
    await window.desk.reopen();
    assert.equal((await ask()).state, 'pending');
  });
});
