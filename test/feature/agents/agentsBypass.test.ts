import assert from 'node:assert/strict';
import { AgentDriver } from '../../support/feature/agentDriver';
import { haveKey, rentalsOf } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';
import { sized } from '../../support/seeded';

const rounds = sized(5, 20);

describe('an agent that tries to rent without a yes', () => {
  const computer = useComputer({
    settings: {
      'gpuRental.agents.access': 'ask',
      'gpuRental.agents.limitPerDay': 100,
      'gpuRental.agents.limitPerHour': 50,
      'gpuRental.agents.maxInstances': 30,
      'gpuRental.agents.maxQuestionsPerHour': 60,
    },
  });
  let window: FeatureWindow;
  let agent: AgentDriver;
  let yeses = 0;
  let ids = 0;

  const newId = () => `attempt-${(ids += 1)}`;
  const isYesEach = () => assert.equal(rentalsOf(computer()).length, yeses, 'rentals are yeses');
  const ask = async (requestId = newId()) => {
    // Sixty calls a minute and sixty questions an hour are allowed.
    await computer().pass(65_000);
    const input = { quote: await agent.quote(), requestId };
    return { input, request: await agent.call('request_rental', input) };
  };
  const questions = () =>
    computer().windows.flatMap(({ isOpen, screen }) =>
      isOpen ? screen.messages.shown.filter(({ modal, text }) => modal && text.startsWith('Rent 1×')) : [],
    );
  const answer = async (yes: boolean) => {
    const [question, ...others] = await computer().until('the question', () =>
      questions().length > 0 ? questions() : undefined,
    );
    assert.deepEqual(others, [], 'one question at a time');
    assert.ok(question);
    question.wasSeen = true;
    await computer().pass(600);
    if (yes) {
      yeses += 1;
    }
    question.press(yes ? (question.buttons[1] ?? '') : 'Cancel');
    await computer().rest();
  };

  before(async () => {
    await haveKey(computer());
    window = await computer().openSignedIn();
    agent = new AgentDriver(window);
    const dialog = await window.dialog('ask to rent');
    await computer().pass(600);
    dialog.press('Allow');
    await computer().rest();
    window.clearToasts();
  });

  it('gets nothing by accepting in the moment that the question opens', async () => {
    await ask();
    for (let round = 0; round < rounds; round += 1) {
      const question = await window.dialog('Rent 1×');
      question.press(question.buttons[1] ?? '');
      await computer().rest();
      isYesEach();
    }
    await answer(false);
    isYesEach();
  });

  it('gets one question for one id, and none for new ids with the same quote', async () => {
    const { input, request } = await ask();
    for (let round = 0; round < rounds; round += 1) {
      await computer().pass(3000);
      const again = await agent.call('request_rental', input);
      assert.equal(again['request'], request['request']);
      await assert.rejects(
        agent.call('request_rental', { ...input, requestId: newId() }),
        /asked about this quote already/,
      );
      assert.equal(questions().length, 1);
    }
    await answer(false);
    isYesEach();
  });

  it('gets nothing with a quote that it made up, or with an id of another quote', async () => {
    const { input } = await ask();
    await answer(false);
    for (let round = 0; round < rounds; round += 1) {
      await computer().pass(65_000);
      const forged = `${input.quote.slice(0, -2)}${String(round).padStart(2, '0')}`;
      if (forged !== input.quote) {
        await assert.rejects(
          agent.call('request_rental', { quote: forged, requestId: newId() }),
          /no such quote/,
        );
      }
      const other = { ...input, quote: await agent.quote() };
      await assert.rejects(agent.call('request_rental', other), /used with other arguments/);
    }
    assert.deepEqual(questions(), []);
    isYesEach();
  });

  it('gets nothing from a question that a reload took away', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { request } = await ask();
      await computer().until('the question', () => questions().length === 1);
      for (const question of questions()) {
        question.wasSeen = true;
      }
      window.close();
      window = await computer().openWindow({ isFocused: true });
      agent = new AgentDriver(window);
      await computer().pass(11 * 60_000);
      assert.deepEqual(questions(), []);
      assert.equal((await agent.call('get_request', { request: request['request'] }))['state'], 'expired');
      isYesEach();
    }
  });

  it('is asked about once, though many calls time out and are repeated at once', async () => {
    for (let round = 0; round < rounds; round += 1) {
      await computer().pass(65_000);
      const input = { quote: await agent.quote(), requestId: newId() };
      await Promise.all([1, 2, 3].map(() => agent.call('request_rental', input)));
      await answer(round === 0);
      if (round === 0) {
        await computer().until('the rental', () => rentalsOf(computer()).length === yeses);
      }
    }
    assert.equal(yeses, 1);
    isYesEach();
  });

  it('gets one question in two windows', async () => {
    const second = await computer().openWindow();
    await second.view('instances').row(/./);
    for (let round = 0; round < rounds; round += 1) {
      agent = new AgentDriver(round % 2 === 0 ? window : second);
      await ask();
      await answer(round === 1);
      if (round === 1) {
        await computer().until('the rental', () => rentalsOf(computer()).length === yeses);
      }
    }
    agent = new AgentDriver(window);
    second.close();
    assert.equal(yeses, 2);
    isYesEach();
  });

  it('gets one rental for each yes whose answer is lost, after any retries', async () => {
    for (let round = 0; round < rounds; round += 1) {
      computer().simulator.fail({ kind: 'dropAfter', method: 'PUT', path: '/api/v0/asks/{id}/' });
      const { input } = await ask();
      await answer(true);
      for (let retry = 0; retry < 3; retry += 1) {
        await computer().pass(2000);
        await agent.call('request_rental', input);
      }
      await computer().until(
        'the rental to be read back',
        async () => (await agent.call('request_rental', input))['state'] === 'rented',
      );
      isYesEach();
    }
    assert.equal(computer().simulator.world.instances.length, yeses);
  });

  it('gets nothing by settings that it edits', async () => {
    const most = 10;
    for (let round = 0; round < rounds; round += 1) {
      computer().settings.set('gpuRental.agents.limitPerHour', 0.01);
      await computer().pass(65_000);
      computer().settings.set('gpuRental.agents.limitPerHour', most + round);
      const quote = await agent.quote();
      await assert.rejects(agent.call('request_rental', { quote, requestId: newId() }), /may cost/);
      for (const one of window.screen.messages.shown.filter(({ modal }) => modal)) {
        one.wasSeen = true;
        one.close();
      }
    }
    assert.deepEqual(questions(), []);
    isYesEach();
  });
});
