import assert from 'node:assert/strict';
import { toolSpecs } from '../../../src/agents/model/tools';
import { AgentDriver } from '../../support/feature/agentDriver';
import { PageDriver } from '../../support/feature/pageDriver';
import { haveKey } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

describe('an agent in the chat', () => {
  const computer = useComputer({ settings: { 'gpuRental.agents.maxQuestionsPerHour': 10 } });
  let window: FeatureWindow;
  let agent: AgentDriver;
  let request: string;
  let instance: string;

  const rentals = () => computer().simulator.received('PUT', /^\/api\/v0\/asks\//);
  const answer = async (button: string, text?: RegExp) => {
    const dialog = await window.dialog(text);
    await computer().pass(600);
    dialog.press(button);
    await computer().rest();
  };
  const state = async (of: string) => (await agent.call('get_request', { request: of }))['state'];

  before(async () => {
    await haveKey(computer());
    window = await computer().openSignedIn();
    window.clearToasts();
    agent = new AgentDriver(window);
  });

  it('has no tools while agents are off', () => {
    assert.deepEqual(agent.tools, []);
  });

  it('has tools once the user lets agents in, and they answer after a dialog', async () => {
    computer().settings.set('gpuRental.agents.access', 'ask');
    assert.equal(agent.tools.length, toolSpecs.length);
    const dialog = await window.dialog('ask to rent');
    await assert.rejects(agent.call('list_instances'), /has not confirmed|answer the dialog/);
    assert.match(dialog.detail ?? '', /At most \$10\.00 a day and \$1\.00\/h/);
    await answer('Allow');
    assert.deepEqual((await agent.call('list_instances'))['instances'], []);
  });

  it('gets five offers, or as many as it asks for, and how many there are', async () => {
    const count = async (input: object) => {
      const { offers, total } = await agent.call('search_offers', input);
      assert.ok(Number(total) > 6);
      return (offers as readonly unknown[]).length;
    };
    assert.deepEqual([await count({}), await count({ limit: 6 })], [5, 6]);
  });

  it('gets a price without spending anything', async () => {
    const quote = await agent.quote();
    assert.match(quote, /^quote_/);
    assert.equal(rentals().length, 0);
  });

  it('rents nothing after a refusal of the user, for any number of requests', async () => {
    const input = { quote: await agent.quote(), requestId: 'declined-1' };
    const { request: first, state: pending } = await agent.call('request_rental', input);
    assert.equal(pending, 'pending');
    await answer('Cancel', /Rent 1× .* for the chat/);
    for (let retry = 0; retry < 20; retry += 1) {
      const again = await agent.call('request_rental', input);
      assert.deepEqual([again['request'], again['state']], [first, 'declined']);
    }
    await assert.rejects(
      agent.call('request_rental', { ...input, requestId: 'declined-2' }),
      /asked about this quote already/,
    );
    assert.equal(rentals().length, 0);
  });

  it('asks for an end by a stop with what the disk costs from then on', async () => {
    const input = { quote: await agent.quote({ then: 'stop' }), requestId: 'stopped-1' };
    await agent.call('request_rental', input);
    const { detail } = await window.dialog('Rent 1×');
    assert.match(detail ?? '', /\nStopped automatically at .*; storage then costs \$0\.0*[1-9]\d*\/h\n/);
    await answer('Cancel', /Rent 1×/);
    assert.equal(rentals().length, 0);
  });

  it('asks with no price of the disk where the service states none, and counts none as nothing', async () => {
    const { machines } = computer().simulator.world.market;
    const costs = machines.map(({ storageCost }) => storageCost);
    machines.forEach((machine) => Object.assign(machine, { storageCost: -0.001 }));
    const input = { quote: await agent.quote({ then: 'stop' }), requestId: 'unpriced-1' };
    await agent.call('request_rental', input);
    const { detail } = await window.dialog('Rent 1×');
    assert.match(detail ?? '', /storage then still costs money, but the service does not state the price\n/);
    await answer('Cancel', /Rent 1×/);
    machines.forEach((machine, index) => Object.assign(machine, { storageCost: costs[index] }));
  });

  it('rents once for one yes to the price, with an end from birth', async () => {
    const input = { quote: await agent.quote(), requestId: 'rental-no-1', reason: 'train the model' };
    request = String((await agent.call('request_rental', input))['request']);
    const { detail, buttons } = await window.dialog('Rent 1×');
    assert.match(
      detail ?? '',
      /\/h, \$.* for 2 h, without traffic\nTraffic: download .*\nDestroyed automatically at /,
    );
    assert.match(detail ?? '', /\nThe schedule needs an editor that is open on this computer and signed in/);
    assert.match(detail ?? '', /\nLocation: “Japan”\n/);
    assert.match(detail ?? '', /The agent says: “train the model”/);
    await answer(buttons[1] ?? '');
    await computer().until('the rental', () => rentals().length > 0);
    for (let retry = 0; retry < 5; retry += 1) {
      await agent.call('request_rental', input);
    }
    const rented = await agent.call('get_request', { request, waitSeconds: 5 });
    assert.equal(rented['state'], 'rented');
    instance = String(rented['instance']);
    assert.equal(rentals().length, 1);
    await computer().pass(5000);
    const { instances } = (await agent.call('list_instances')) as {
      readonly instances: readonly Readonly<Record<string, unknown>>[];
    };
    assert.equal(instances[0]?.['instance'], instance);
    assert.equal(instances[0]['scheduledAction'], 'destroy');
    assert.equal(instances[0]['byAgent'], true);
  });

  it('asks before its data is lost earlier, and before a disk is kept in place of a destroy', async () => {
    const earlier = { instance, hoursFromNow: 1.5, then: 'destroy', requestId: 'end-sooner' };
    assert.equal((await agent.call('set_schedule', earlier))['state'], 'pending');
    const { detail } = await window.dialog(/Change the schedule of .* for the chat/);
    assert.match(detail ?? '', /^Destroyed automatically at .*All data on it is lost/);
    await answer('Cancel', /Change the schedule of .* for the chat/);
    const stop = { instance, hoursFromNow: 1, then: 'stop', requestId: 'end-by-stop' };
    assert.equal((await agent.call('set_schedule', stop))['state'], 'pending');
    await answer('Cancel', /Change the schedule of .* for the chat/);
    const { instances } = (await agent.call('list_instances')) as {
      readonly instances: readonly Readonly<Record<string, unknown>>[];
    };
    assert.equal(instances[0]?.['scheduledAction'], 'destroy');
  });

  it('is over the limit with a second instance, edited settings included', async () => {
    computer().settings.set('gpuRental.agents.maxInstances', 50);
    const quote = await agent.quote();
    await assert.rejects(
      agent.call('request_rental', { quote, requestId: 'second-one' }),
      /instances that agents have at once is 1\./,
    );
    await answer('Cancel', /agents/i);
    assert.equal(rentals().length, 1);
  });

  it('destroys its instance after a question that names it', async () => {
    const { instances } = (await agent.call('list_instances')) as {
      readonly instances: readonly { readonly untrusted: { readonly label: string } }[];
    };
    const label = instances[0]?.untrusted.label;
    computer().simulator.fail({ kind: 'delay', method: 'GET', path: '/api/v0/volumes/', delayMs: 5000 });
    const end = await agent.call('destroy_instance', { instance, label, requestId: 'destroy-it' });
    assert.equal(end['state'], 'pending');
    await computer().pass(2000);
    // Its progress would stay for a moment beneath the question.
    assert.doesNotMatch(window.allMessages(), /for unsaved work…/);
    const { detail } = await window.dialog('Destroy');
    assert.match(detail ?? '', /All data on disk is lost for good.*You are not charged afterwards/s);
    await answer('Destroy', /Destroy .* for the chat/);
    await computer().until('the end', async () => (await state(String(end['request']))) === 'done');
    const since = computer().clock.elapsed();
    const gone = await agent.call('get_request', { request, waitSeconds: 25 });
    assert.equal(gone['instanceState'], 'gone');
    assert.match(String(gone['next']), /is gone and costs nothing more/);
    assert.ok(computer().clock.elapsed() - since < 20_000, 'nothing is waited for');
  });

  it('leaves its mark on the rental in the history', async () => {
    await window.view('instances').expand('Rental History');
    await window.view('instances').row(/by agent · 1×/);
    window.run('Show Rental History');
    await window.quick.pick(/by agent/);
    const page = new PageDriver(window, 'instance');
    await page.shows('how it ended');
    assert.ok(
      page.rows('status').some((row) => row.join() === 'Rented by agent (unverified name),“the chat”'),
    );
  });

  it('loses its tools once agents are off again', () => {
    computer().settings.set('gpuRental.agents.access', 'off');
    assert.deepEqual(agent.tools, []);
  });
});
