import assert from 'node:assert/strict';
import { letAgentsIn, type AgentDriver } from '../../support/feature/agentDriver';
import { haveKey, rentalsOf } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

const minute = 60_000;

describe('the gate between a quote of an agent and a rental', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let agent: AgentDriver;
  let ids = 0;

  const modals = () => window.screen.messages.shown.filter(({ modal }) => modal);
  const request = (quote: string) => {
    ids += 1;
    return agent.call('request_rental', { quote, requestId: `gate-request-${ids}` });
  };
  const confirm = async () => {
    const dialog = await window.dialog('Rent 1×');
    await computer().pass(600);
    dialog.press(dialog.buttons[1] ?? '');
    await computer().rest();
  };
  const outcome = async ({ request: id }: Readonly<Record<string, unknown>>) => {
    const over = await agent.call('get_request', { request: id, waitSeconds: 10 });
    return [over['state'], over['problem']];
  };

  before(async () => {
    await haveKey(computer());
    window = await computer().openSignedIn();
    agent = await letAgentsIn(window);
    window.clearToasts();
  });
  beforeEach(() => computer().pass(2 * minute));
  afterEach(() => {
    assert.equal(rentalsOf(computer()).length, 0);
    assert.deepEqual(modals(), []);
  });

  it('accepts no quote that has expired', async () => {
    const quote = await agent.quote();
    await computer().pass(10 * minute + 1000);
    await assert.rejects(request(quote), /expired.*quote_rental again/i);
  });

  it('accepts no quote of another account, and asks nothing of the one before', async () => {
    const { simulator } = computer();
    const quote = await agent.quote();
    const asked = await request(await agent.quote());
    const other = await simulator.call('POST', '/__sim/accounts/', { email: 'other@example.com' });
    const question = await window.dialog('Rent 1×');
    await window.signIn(String(other.json.key));
    await assert.rejects(request(quote), /no such quote on this account/);
    await computer().pass(600);
    question.wasSeen = true;
    question.press(question.buttons[1] ?? '');
    await window.toast(/Nothing was done because the account was switched/);
    window.run('Switch Account…');
    await window.quick.pick(/ada@example\.com/);
    await computer().rest();
    assert.deepEqual(await outcome(asked), ['pending', undefined]);
    await computer().pass(10 * minute);
    assert.deepEqual(await outcome(asked), ['expired', undefined]);
  });

  it('rents nothing where the price rose after the yes', async () => {
    const asked = await request(await agent.quote());
    const { market } = computer().simulator.world;
    for (const { machine } of market.offers) {
      market.setPrice(machine.id, market.pricePerGpu(machine) * 1.5);
    }
    await confirm();
    const [state, problem] = await outcome(asked);
    assert.equal(state, 'notRented');
    assert.match(String(problem), /price of the offer rose\. Nothing was rented\. Get a new quote/);
    await window.toast('Nothing was rented for the chat. The log says why.');
    window.clearToasts();
  });

  it('rents nothing where the offer was taken after the yes', async () => {
    const { market } = computer().simulator.world;
    const asked = await request(await agent.quote());
    for (const { offerId } of market.offers) {
      market.mark('goneOffers', offerId, true);
    }
    await confirm();
    const [state, problem] = await outcome(asked);
    assert.equal(state, 'notRented');
    assert.match(String(problem), /offer was taken\. Nothing was rented/);
    await window.toast('Nothing was rented for the chat. The log says why.');
    window.clearToasts();
  });
});

const limits = [
  { setting: 'limitPerDay', value: 0.01, says: /may commit to \$0\.01 a day\. Ask the user/ },
  { setting: 'limitPerDay', value: 0, says: /may spend nothing: the limit is \$0/ },
  { setting: 'limitPerHour', value: 0.01, says: /may cost \$0\.01\/h together\. Ask the user/ },
  { setting: 'maxInstances', value: 0, says: /instances that agents have at once is 0\./ },
  { setting: 'maxHours', value: 1, says: /limit for a rental is 1 h\. Ask the user/ },
  { setting: 'maxQuestionsPerHour', value: 0, says: /limit of questions to the user is 0 an hour/ },
] as const;

describe('each limit of agents', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let agent: AgentDriver;

  before(async () => {
    window = await computer().openSignedIn();
    agent = await letAgentsIn(window);
    window.clearToasts();
  });

  for (const { setting, value, says } of limits) {
    it(`refuses by itself: ${setting} of ${value}`, async () => {
      const { settings } = computer();
      const key = `gpuRental.agents.${setting}`;
      await computer().pass(2 * minute);
      settings.set(key, value);
      await computer().rest();
      const quote = await agent.quote();
      await assert.rejects(
        agent.call('request_rental', { quote, requestId: `over-${setting}-${value}` }),
        says,
      );
      // What was lowered rises by a person's yes alone.
      settings.set(key, undefined);
      await letAgentsIn(window);
    });
  }

  it('rises to no more than the settings allow when the user answers', async () => {
    const { settings } = computer();
    const key = 'gpuRental.agents.limitPerDay';
    const asksToLetIn = () =>
      window.screen.messages.shown.filter(({ text }) => text.includes('Let AI agents')).length;
    settings.set(key, 20);
    const dialog = await window.dialog('Let AI agents');
    settings.set(key, 5);
    await computer().pass(600);
    dialog.press('Allow');
    await computer().rest();
    assert.equal(asksToLetIn(), 0);
    settings.set(key, 20);
    await window.dialog('Let AI agents');
    await computer().pass(600);
    await window.dialogButton('Allow');
  });
});

describe('the limits of the user for everything that runs', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let agent: AgentDriver;
  let instance: string;

  before(async () => {
    await haveKey(computer());
    instance = `inst_${await computer().rentRunning({ label: 'trainer' })}`;
    window = await computer().openSignedIn();
    agent = await letAgentsIn(window);
    await computer().pass(30 * minute);
    await window.view('instances').menu('trainer', 'Stop…');
    await window.dialogButton('Stop');
    await window.view('instances').row(/trainer.*Stopped/i);
    window.clearToasts();
  });

  const refuses = async (says: RegExp) => {
    await computer().pass(2 * minute);
    const quote = await agent.quote();
    const again = { quote, requestId: `own-limit-${quote.slice(-8)}` };
    await assert.rejects(agent.call('request_rental', again), says);
    const start = { instance, to: 'running', requestId: `own-start-${quote.slice(-8)}` };
    await assert.rejects(agent.call('change_state', start), says);
    assert.deepEqual(
      window.screen.messages.shown.filter(({ modal }) => modal),
      [],
    );
  };

  it('bind an agent that asks for a rental or a start: the price an hour', async () => {
    computer().settings.set('gpuRental.rent.limitPerHour', 0.05);
    await refuses(/Everything that runs may cost \$0\.05\/h, and with this it would cost more/);
    computer().settings.set('gpuRental.rent.limitPerHour', undefined);
  });

  it('bind it as well: the budget', async () => {
    computer().settings.set('gpuRental.budget.perDay', 0.01);
    await refuses(/You have spent \$.* of your budget of \$0\.01\/day\. An agent can't go on/);
    window.clearToasts();
  });

  it('are held against a yes as well', async () => {
    computer().settings.set('gpuRental.budget.perDay', undefined);
    await computer().pass(2 * minute);
    const start = { instance, to: 'running', requestId: 'start-late-yes' };
    const { request } = await agent.call('change_state', start);
    const dialog = await window.dialog('Start “trainer”');
    computer().settings.set('gpuRental.budget.perDay', 0.01);
    await computer().pass(600);
    dialog.press(dialog.buttons[1] ?? '');
    await window.toast(/a limit is reached, so nothing was done/);
    assert.equal((await agent.call('get_request', { request }))['state'], 'overLimit');
    window.clearToasts();
  });
});

describe('an agent that may look only', () => {
  const computer = useComputer();
  let id: number;
  let window: FeatureWindow;
  let agent: AgentDriver;

  before(async () => {
    await haveKey(computer());
    id = await computer().rentRunning({ label: 'trainer', runtype: 'ssh_direct' });
    window = await computer().openSignedIn();
    agent = await letAgentsIn(window, 'read');
    window.clearToasts();
  });

  it('searches, gets prices and sees running instances', async () => {
    const quote = await agent.call('quote_rental', {
      ...{ offer: (await firstOffer()).offer, image: 'pytorch/pytorch:latest' },
      ...{ diskGb: 16, hours: 2, then: 'destroy' },
    });
    assert.deepEqual([quote['allowed'], quote['problem']], [false, 'The user lets agents look only.']);
    assert.equal(((await agent.call('list_instances'))['instances'] as unknown[]).length, 1);
  });

  it('is refused all that changes, spends or runs something, without a question', async () => {
    const instance = `inst_${id}`;
    const calls: readonly (readonly [string, unknown])[] = [
      ['request_rental', { quote: 'quote_0', requestId: 'look-only-1' }],
      ['change_state', { instance, to: 'stopped', requestId: 'look-only-2' }],
      ['destroy_instance', { instance, label: 'trainer', requestId: 'look-only-3' }],
      ['set_schedule', { instance, hours: 1, then: 'stop', requestId: 'look-only-4' }],
      ['run_command', { instance, command: 'true', requestId: 'look-only-5' }],
    ];
    const { simulator } = computer();
    const from = simulator.requests().length;
    for (const [name, input] of calls) {
      await assert.rejects(agent.call(name, input), /lets agents look only/, name);
    }
    assert.deepEqual(
      simulator
        .requests()
        .slice(from)
        .filter(({ method }) => method !== 'GET'),
      [],
    );
    assert.deepEqual(
      window.screen.messages.shown.filter(({ modal }) => modal),
      [],
    );
  });

  async function firstOffer(): Promise<{ readonly offer: string }> {
    const { offers } = (await agent.call('search_offers', { gpuCount: 1 })) as {
      readonly offers: readonly { readonly offer: string }[];
    };
    assert.ok(offers[0]);
    return offers[0];
  }
});

describe('what a model reads', () => {
  const computer = useComputer();

  it('has no key of the service in it, from any place', async () => {
    const { simulator } = computer();
    const id = await computer().rentRunning({ label: 'trainer', runtype: 'ssh_direct' });
    const window = await computer().openSignedIn();
    const agent = await letAgentsIn(window);
    const instance = simulator.world.instance(id);
    assert.ok(instance);
    instance.onstart = `export KEY=${simulator.apiKey}; echo begun`;
    const { untrusted } = await agent.call('get_instance', { instance: `inst_${id}`, logLines: 50 });
    const { log } = untrusted as { readonly log: string };
    assert.match(log, /export KEY=.*begun/);
    assert.doesNotMatch(log, new RegExp(simulator.apiKey));
    const body = { success: false, error: 'invalid_args', msg: `no rights for ${simulator.apiKey}` };
    simulator.fail({ kind: 'answer', method: 'POST', path: '/api/v0/bundles/', status: 400, body });
    await assert.rejects(agent.call('search_offers'), (error: Error) => {
      assert.doesNotMatch(error.message, new RegExp(simulator.apiKey));
      return true;
    });
  });
});
