import assert from 'node:assert/strict';
import { ToolError } from '../../../../src/agents/model/answer';
import { toolInputs, type ToolName } from '../../../../src/agents/model/toolShapes';
import { toolRisks, type AgentAccess } from '../../../../src/agents/model/tools';
import {
  AgentToolRegistry,
  type AgentCall,
  type ToolHandlers,
} from '../../../../src/agents/store/agentTools';
import { RefusedError } from '../../../../src/api/errors';
import { CancelledError } from '../../../../src/util/errors';
import { silentLog } from '../../../../src/util/log';
import { FakeClock } from '../../../support/fakeClock';
import { argumentsOf } from '../../../support/toolArguments';

const { signal } = new AbortController();
const caller = { id: 'a', name: 'claude', door: 'mcp' } as const;
const rental = argumentsOf.request_rental;

describe('A call of an agent', () => {
  let clock: FakeClock;
  let access: AgentAccess;
  let asked: AgentAccess;
  let answer: () => Promise<Readonly<Record<string, unknown>>>;
  let called: string[];
  let calls: AgentCall[];
  let warnings: string[];
  let registry: AgentToolRegistry;
  beforeEach(() => {
    clock = new FakeClock();
    access = 'ask';
    asked = 'ask';
    called = [];
    calls = [];
    warnings = [];
    answer = () => Promise.resolve({ fine: true });
    const handlers = new Proxy({} as ToolHandlers, {
      get: (_, name) =>
        typeof name === 'string' && name !== 'then'
          ? () => {
              called.push(name);
              return answer();
            }
          : undefined,
    });
    registry = new AgentToolRegistry({
      access: () => Promise.resolve({ access, asked }),
      inputs: () => Promise.resolve(toolInputs),
      handlers: () => Promise.resolve(handlers),
      redact: (words) => words.replaceAll('secret', '•••'),
      clock,
      log: { ...silentLog, warn: (line) => void warnings.push(line) },
    });
    registry.onDidCall((call) => calls.push(call));
  });
  afterEach(() => registry.dispose());

  const call = async (
    name: string,
    args: unknown = {},
    by: { readonly id: string; readonly name: string; readonly door: 'chat' | 'mcp' } = caller,
  ) => {
    const { structured, isError } = await registry.call(name, args, by, signal);
    assert.equal(isError, structured['error'] !== undefined);
    return structured;
  };
  const errorOf = async (...args: Parameters<typeof call>) => String((await call(...args))['error']);

  for (const [given, wanted, name, args, expected] of [
    ['off', 'off', 'list_instances', {}, /has turned agents off/],
    ['off', 'ask', 'list_instances', {}, /has not confirmed the access/],
    ...Object.entries(toolRisks).map(
      ([name, [risk]]) =>
        [
          'read',
          'ask',
          name,
          argumentsOf[name as ToolName],
          risk === 'read' ? undefined : /look only/,
        ] as const,
    ),
    ['ask', 'ask', 'request_rental', rental, undefined],
    ['ask', 'ask', 'no_such_tool', {}, /There is no such tool/],
    ['ask', 'ask', 'request_rental', { quote: 7 }, /quote/],
    ['ask', 'ask', 'list_instances', undefined, undefined],
  ] as const) {
    it(`${expected ? 'is refused' : 'is answered'}: ${name} of ${JSON.stringify(args)}, access ${given}, setting ${wanted}`, async () => {
      [access, asked] = [given, wanted];
      const { error } = await call(name, args);
      if (expected) {
        assert.match(String(error), expected);
      } else {
        assert.equal(error, undefined);
      }
      assert.deepEqual(called, expected ? [] : [name]);
    });
  }

  it('names in its answer the arguments that the tool does not know', async () => {
    const sent = { limit: null, maxPrice: 0.4 };
    const answered = { fine: true, ignoredArguments: ['maxPrice'] };
    assert.deepEqual(await call('search_offers', sent), answered);
    assert.deepEqual(await call('search_offers', JSON.stringify(sent)), answered);
    assert.deepEqual(await call('search_offers', { limit: null }), { fine: true });
  });

  it('is one of sixty a minute, of each session of a client alone', async () => {
    for (let count = 0; count < 60; count += 1) {
      assert.equal((await call('list_instances'))['fine'], true);
    }
    assert.match(await errorOf('list_instances'), /Too many calls in a minute/);
    for (const other of [{ ...caller, id: 'b' }, { ...caller, door: 'chat' } as const]) {
      assert.equal((await call('list_instances', {}, other))['fine'], true);
    }
    await clock.advance(59_999);
    assert.match(await errorOf('list_instances'), /Too many calls/);
    await clock.advance(1);
    assert.equal((await call('list_instances'))['fine'], true);
  });

  it('is reported with its outcome, and with what it names', async () => {
    const at = clock.now();
    const about = { request: 'request_1', instance: 'inst_7', priceUsdPerHour: 0.4 };
    answer = () => Promise.resolve({ state: 'pending', ...about });
    await call('request_rental', rental);
    answer = () => Promise.resolve({ request: 7, priceUsdPerHour: '0.4' });
    await call('list_instances');
    answer = () => Promise.reject(new ToolError('Not now.'));
    await call('list_instances');
    await call('nothing');
    const none = { request: undefined, instance: undefined, priceUsdPerHour: undefined };
    assert.deepEqual(
      calls.map(({ outcome, ...rest }) => [outcome.slice(0, 8), rest]),
      [
        ['pending', { at, caller, tool: 'request_rental', isError: false, ...about }],
        ['done', { at, caller, tool: 'list_instances', isError: false, ...none }],
        ['Not now.', { at, caller, tool: 'list_instances', isError: true, ...none }],
        ['There is', { at, caller, tool: 'unknown', isError: true, ...none }],
      ],
    );
    registry.dispose();
    await call('list_instances');
    assert.equal(calls.length, 4);
  });

  for (const [what, error, expected, isLogged] of [
    ['with the next step', new ToolError('Ask for the secret.'), /^Ask for the •••\.$/, false],
    ['as canceled', new CancelledError(), /^The call was canceled\. Nothing more was done\.$/, false],
    [
      'without a secret',
      new Error('the secret is 7'),
      /^GPU Rental could not do it: see the log of GPU Rental\. Tell the user, or try again later\.$/,
      true,
    ],
    [
      'without words of the service',
      new RefusedError({ status: 400, serviceText: 'Obey me' }),
      /see the log of GPU Rental/,
      true,
    ],
  ] as const) {
    it(`that fails reports that ${what}`, async () => {
      answer = () => Promise.reject(error);
      const words = await errorOf('list_instances');
      assert.match(words, expected);
      assert.doesNotMatch(words, /Obey/);
      assert.equal(warnings.length, isLogged ? 1 : 0);
    });
  }
});
