import assert from 'node:assert/strict';
import type { AgentRequest } from '../../../../src/agents/model/request';
import type { ToolInput } from '../../../../src/agents/model/toolShapes';
import { instanceTools } from '../../../../src/agents/store/instanceTools';
import { marketTools } from '../../../../src/agents/store/marketTools';
import { idIn } from '../../../../src/agents/store/toolDeps';
import type { Fleet } from '../../../../src/store/instances/fleetStore';
import { agentScene, wideLimits, type AgentScene } from '../../../support/agentWindows';
import { anInstance, anOffer, aTemplate } from '../../../support/builders';

const { signal } = new AbortController();
const context = { caller: { id: 'a', name: 'claude', door: 'mcp' }, signal } as const;
const id = 5001;

describe('The answer to an agent about a request', () => {
  let { service, computer, window } = {} as AgentScene;
  let isReady: boolean;
  let ended: boolean;
  beforeEach(async () => {
    const instances = [anInstance({ id, statusMessage: 's'.repeat(300) })];
    ({ service, computer, window } = await agentScene({ instances, offers: [anOffer()] }));
    isReady = false;
    ended = false;
  });
  afterEach(() => computer.dispose());

  const begin = (change: Partial<AgentRequest>) =>
    window.desk.begin({
      ...{ id: 'request_1', requestId: 'request-no-1', tool: 'request_rental', print: '' },
      ...{ caller: context.caller, at: computer.clock.now(), state: 'renting' },
      ...change,
    });
  const get = (waitSeconds?: number) => {
    const find: Fleet['find'] = (one) => (ended ? undefined : window.fleet.find(one));
    const own = { hasEnded: { value: () => ended }, find: { value: find } };
    const fleet = Object.create(window.fleet, own) as Fleet;
    return marketTools({ ...window, fleet, isReady: () => isReady }).get_request(
      { request: 'request_1', ...(waitSeconds === undefined ? {} : { waitSeconds }) },
      context,
    );
  };
  /** After how many seconds it is told. */
  async function answeredAfter(
    waitSeconds: number | undefined,
    onSecond: (second: number) => unknown = () => {},
  ) {
    const wait = { isOver: false };
    const answered = get(waitSeconds).finally(() => (wait.isOver = true));
    await computer.clock.advance(0);
    let seconds = 0;
    for (; !wait.isOver && seconds < 60; seconds += 1) {
      await onSecond(seconds);
      await computer.clock.advance(1000);
    }
    await answered;
    return seconds;
  }

  for (const [waitSeconds, expected] of [
    [undefined, 0],
    [0, 0],
    [3, 3],
    [25, 25],
    [59, 25],
  ] as const) {
    it(`arrives after ${expected} seconds if it waits ${waitSeconds ?? 'not at all'} and nothing changes`, async () => {
      await begin({});
      assert.equal(await answeredAfter(waitSeconds), expected);
    });
  }

  it('arrives once the request changes, and at once if there is nothing to wait for', async () => {
    await begin({});
    const change = (second: number) =>
      second === 4 ? window.desk.move('request_1', ['renting'], { state: 'notRented' }) : undefined;
    assert.equal(await answeredAfter(25, change), 5);
    assert.equal(await answeredAfter(25), 0);
  });

  it('arrives once what was rented is ready, or gone', async () => {
    await begin({ state: 'rented', instanceId: id });
    assert.equal(await answeredAfter(25, (second) => (isReady = second === 2)), 3);
    isReady = false;
    assert.equal(await answeredAfter(25, (second) => (ended = second === 2)), 3);
  });

  it('names the instance, its state and whether it is ready, or that it is gone', async () => {
    await begin({ state: 'rented', instanceId: id });
    const { instanceState, ready, untrusted, next, instance } = await get();
    assert.deepEqual([instance, instanceState, ready], [`inst_${id}`, 'running', false]);
    assert.equal((untrusted as { readonly status: string }).status.length, 200);
    assert.match(String(next), /It is rented and costs money/);
    ended = true;
    const gone = await get();
    assert.deepEqual([gone['instanceState'], gone['ready']], ['gone', undefined]);
    assert.match(String(gone['next']), /The instance is gone and costs nothing more/);
  });

  it('is of no instance before there is one', async () => {
    await begin({ problem: 'Wait.' });
    assert.deepEqual(await get(), {
      ...{ request: 'request_1', state: 'renting', problem: 'Wait.' },
      next: 'The rental is under way. Call get_request until it changes.',
    });
  });

  const quote = (change: Partial<ToolInput<'quote_rental'>> = {}) =>
    marketTools(window).quote_rental(
      { offer: 'offer_9001', image: 'ubuntu', diskGb: 20, hours: 2, then: 'stop', ...change },
      context,
    );
  const rent = (of: unknown, requestId: string) =>
    marketTools(window).request_rental({ quote: String(of), requestId }, context);

  it('is asked for once with a quote that still holds', async () => {
    const { quote: first } = await quote();
    const asked = await rent(first, 'request-no-2');
    assert.deepEqual([asked['state'], asked['priceUsdPerHour']], ['pending', 0.4]);
    assert.equal((await rent(first, 'request-no-2'))['request'], asked['request'], 'a retry');
    await assert.rejects(rent(first, 'request-no-3'), /was asked about this quote already/);
    await assert.rejects(rent('quote_none', 'request-no-4'), /There is no such quote on this account/);
    const { quote: second } = await quote();
    await computer.clock.advance(600_001);
    await assert.rejects(rent(second, 'request-no-5'), /The quote has expired/);
    assert.equal((await rent(first, 'request-no-2'))['request'], asked['request'], 'a late retry');
  });

  it('is one, however often and by whomever a quote is asked for at once', async () => {
    const { quote: first } = await quote();
    const ids = ['request-no-1', 'request-no-2', 'request-no-1', 'request-no-3'];
    const all = await Promise.allSettled(ids.map((id) => rent(first, id)));
    const [one] = (await window.desk.read()).requests;
    assert.ok(one);
    assert.equal((await window.desk.read()).requests.length, 1);
    for (const { status, ...result } of all) {
      const words = 'value' in result ? result.value : String(result.reason);
      assert.ok(JSON.stringify(words).includes(one.id), `${status}: ${JSON.stringify(words)}`);
    }
    assert.deepEqual(
      all.map(({ status }) => status === 'fulfilled'),
      ids.map((id) => id === one.requestId),
    );
  });

  it('is a quote of a template or an image of an offer that is there', async () => {
    await assert.rejects(quote({ template: 'template_77' }), /Give either a template or an image/);
    await assert.rejects(quote({ image: undefined }), /Give either a template or an image/);
    await assert.rejects(quote({ template: 'template_77', image: undefined }), /There is no such template/);
    service.templates = [aTemplate({ creatorId: 99, onstart: ' \n' })];
    await quote({ template: 'template_77', image: undefined });
    const [kept] = (await window.desk.read()).quotes;
    const facts = { image: 'pytorch/pytorch', isOfStranger: true, hasStartScript: false };
    assert.deepEqual(kept?.template, facts);
    for (const offer of [{ rentable: false }, { id: 9002 }]) {
      service.offers = [anOffer(offer)];
      await assert.rejects(quote(), /The offer was taken, or states no price/);
    }
  });

  it('is a quote that states why it is not allowed', async () => {
    const limits = { ...wideLimits, perHour: 0.1 };
    await window.limits.confirm(limits);
    const { allowed, problem, next } = await quote();
    assert.deepEqual([allowed, typeof problem, next], [false, 'string', 'Tell the user.']);
    await window.limits.confirm({ ...wideLimits, access: 'read' });
    assert.equal((await quote())['problem'], 'The user lets agents look only.');
  });

  it('is nothing where the list lacks an instance or could not be read', async () => {
    const { get_instance: check } = instanceTools(window);
    await assert.rejects(check({ instance: 'inst_1' }, context), /There is no such instance on this account/);
    service.before = (call) => {
      if (call === 'instances.list') {
        throw new Error('away');
      }
    };
    await assert.rejects(check({ instance: 'inst_1' }, context), /could not be read.*Nothing was done/);
  });
});

describe('A handle of an agent', () => {
  for (const [handle, expected] of [
    ['inst_7', 7],
    ['offer_0', 0],
    ['inst_-1', undefined],
    ['inst_1.5', undefined],
    ['inst_x', undefined],
    ['inst_9007199254740993', undefined],
  ] as const) {
    it(`is ${expected ?? 'refused'}: ${handle}`, () => {
      if (expected === undefined) {
        assert.throws(() => idIn(handle), /is no handle of this kind/);
      } else {
        assert.equal(idIn(handle), expected);
      }
    });
  }
});
