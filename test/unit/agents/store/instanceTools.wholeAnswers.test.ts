import assert from 'node:assert/strict';
import { mostBytes, toolAnswer } from '../../../../src/agents/model/answer';
import { toolInputs, toolOutputs, type ToolName } from '../../../../src/agents/model/toolShapes';
import { instanceTools } from '../../../../src/agents/store/instanceTools';
import { marketTools } from '../../../../src/agents/store/marketTools';
import { fromDollars } from '../../../../src/model/money';
import { agentScene, type AgentScene } from '../../../support/agentWindows';
import { anInstance, anOffer, aTemplate } from '../../../support/builders';

type Answer = Readonly<Record<string, unknown>>;

const { signal } = new AbortController();
const long = '漢'.repeat(80);
const ids = Array.from({ length: 13 }, (_, at) => 5001 + at);

describe('what a tool of agents leaves out', () => {
  let { service, computer, window } = {} as AgentScene;

  beforeEach(async () => {
    ({ service, computer, window } = await agentScene({
      instances: ids.map((id) =>
        anInstance({ id, label: long, gpuName: long, statusMessage: `${long}${id}` }),
      ),
      offers: ids.map((id) => anOffer({ id, gpuName: long, location: long })),
    }));
    service.templates = ids.map((id) => aTemplate({ id, name: long, image: long }));
  });
  afterEach(() => computer.dispose());

  /** As a client gets it: a tool checks its arguments, and its result fits the schema. */
  async function call(name: ToolName, input: Answer): Promise<Answer> {
    const handlers: Readonly<Record<string, unknown>> = { ...marketTools(window), ...instanceTools(window) };
    const handler = handlers[name] as (input: unknown, context: unknown) => Promise<Answer>;
    const caller = { id: 'a', name: 'claude', door: 'mcp' };
    const { structured, text, isError } = toolAnswer(
      await handler(toolInputs[name].parse(input), { caller, signal }),
    );
    assert.equal(isError, false, text);
    assert.ok(Buffer.byteLength(text) <= mostBytes);
    assert.deepEqual(toolOutputs[name].parse(structured), structured);
    return structured;
  }

  const lists = [
    ['list_instances', 'instances', 'inst', 'instance'],
    ['search_offers', 'offers', 'offer', 'offer'],
    ['list_templates', 'templates', 'template', 'template'],
  ] as const;
  for (const [tool, key, prefix, field] of lists) {
    it(`is no row and no part of a text: ${tool}`, async () => {
      const seen: string[] = [];
      let page = await call(tool, { limit: 10 });
      for (;;) {
        const rows = page[key] as readonly {
          readonly untrusted: Answer;
          readonly [field: string]: unknown;
        }[];
        assert.ok(rows.length > 0);
        seen.push(...rows.map((row) => String(row[field])));
        assert.ok(rows.every(({ untrusted }) => Object.values(untrusted).some((text) => text === long)));
        if (page['cursor'] === undefined) {
          break;
        }
        assert.match(String(page['next']), /call again with this cursor/);
        page = await call(tool, { limit: 10, cursor: page['cursor'] });
      }
      assert.deepEqual(
        seen,
        ids.map((id) => `${prefix}_${id}`),
      );
    });
  }

  it('is no money: the balance counts where no credit is stated', async () => {
    service.user = { id: 7, balance: fromDollars(3) };
    await window.accounts.refreshUser();
    assert.equal((await call('list_instances', { limit: 1 }))['creditUsd'], 3);
  });

  it('is no instance where another one ends between two pages', async () => {
    const first = await call('list_instances', { limit: 3 });
    service.instances = service.instances.slice(2);
    await window.fleet.refresh();
    const second = await call('list_instances', { limit: 1, cursor: first['cursor'] });
    assert.deepEqual(
      (second['instances'] as readonly Answer[]).map(({ instance }) => instance),
      ['inst_5004'],
    );
  });

  it('is stated for a log and for the output of a command, with how to read on', async () => {
    const text = '漢"\n'.repeat(1300);
    Object.assign(service.client.instances, { logs: () => Promise.resolve(text) });
    const log = await call('get_instance', { instance: 'inst_5001', logLines: 50 });
    assert.equal(log['truncated'], true);
    assert.match(String(log['next']), /Only the end of the log fits.*connect_instance/);
    Object.assign(service.client.instances, { logs: () => Promise.resolve('short\n') });
    const whole = await call('get_instance', { instance: 'inst_5001', logLines: 50 });
    assert.deepEqual([whole['truncated'], whole['next']], [undefined, undefined]);

    const stdout = '漢'.repeat(2000);
    for (const [result, isCut] of [
      [{ stdout, stderr: '' }, true],
      [{ stdout: '', stderr: stdout }, true],
      [{ stdout: 'short', stderr: 'short' }, false],
    ] as const) {
      const run = () => Promise.resolve({ code: 0, ...result });
      window = { ...window, ssh: { ...window.ssh, run } };
      const requestId = `command-${result.stdout.length}-${result.stderr.length}`;
      const input = { instance: 'inst_5001', command: 'ls', requestId };
      await window.desk.answer(String((await call('run_command', input))['request']), true);
      const { truncated, next } = await call('run_command', input);
      assert.equal(truncated, isCut);
      assert.equal(/Only the end of its output is here.*file/.test(String(next)), isCut);
    }
  });

  it('is stated for rows that the service counts and does not describe', async () => {
    Object.assign(service.client.instances, {
      list: () => Promise.resolve({ items: service.instances, skipped: 2, found: service.instances.length }),
    });
    await window.fleet.refresh();
    assert.equal((await call('list_instances', {}))['skipped'], 2);
  });
});
