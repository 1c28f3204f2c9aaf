import assert from 'node:assert/strict';
import type { ZodType } from 'zod';
import manifest from '../../../../package.json';
import { instructions } from '../../../../src/agents/mcp/instructions';
import { listedTools } from '../../../../src/agents/mcp/toolList';
import {
  endOfText,
  errorAnswer,
  mostBytes,
  pageOf,
  toolAnswer,
  untrustedText,
} from '../../../../src/agents/model/answer';
import { describedTools } from '../../../../src/agents/model/describedTools';
import { isRaised, limitsInForce, noLimits, type AgentLimits } from '../../../../src/agents/model/limits';
import { languageModelTools, toolSchemas } from '../../../../src/agents/model/toolSchemas';
import schemas from '../../../../src/agents/model/toolSchemas.json';
import { toolInputs, type ToolName } from '../../../../src/agents/model/toolShapes';
import { toolSpecs } from '../../../../src/agents/model/tools';
import { argumentsOf } from '../../../support/toolArguments';

describe('the tools of agents', () => {
  it('are described once: in the shapes, in the schemas and in the manifest', () => {
    assert.deepEqual(JSON.parse(JSON.stringify(toolSchemas())), schemas);
    const declared: unknown = (manifest.contributes as { languageModelTools?: unknown }).languageModelTools;
    assert.deepEqual(declared, JSON.parse(JSON.stringify(languageModelTools())));
    assert.deepEqual(
      toolSpecs.map(({ name }) => name),
      Object.keys(toolInputs),
    );
  });

  it('are at most twenty, with a short description each and arguments that are an object without unknown fields', () => {
    const tools = describedTools();
    assert.ok(tools.length <= 20);
    for (const { description, inputSchema } of tools) {
      assert.ok(description.length <= 400, description);
      assert.equal(inputSchema['type'], 'object');
      assert.equal(inputSchema['additionalProperties'], false);
    }
  });
});

/** What one of the large clients refuses, or leaves out of what it sends to its model. */
const refused =
  /"(?:exclusiveMinimum|exclusiveMaximum|anyOf|oneOf|allOf|not|\$ref|\$defs|definitions|patternProperties|propertyNames|prefixItems|const|default|if|then|else)":/;

describe('The schemas of tools', () => {
  const each = describedTools().flatMap(({ name, inputSchema, outputSchema }) => [
    [`${name} as arguments`, inputSchema] as const,
    [`${name} as a result`, outputSchema] as const,
  ]);

  it('have nothing that the strictest client refuses', () => {
    // Names of fields are no keywords, as `then` is one.
    const keywordsOf = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(keywordsOf)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value).map(([key, inner]) => [
                key,
                key === 'properties' ? Object.values(inner as object).map(keywordsOf) : keywordsOf(inner),
              ]),
            )
          : value;
    const bad = each.filter(([, schema]) => refused.test(JSON.stringify(keywordsOf(schema))));
    assert.deepEqual(
      bad.map(([name, schema]) => [name, refused.exec(JSON.stringify(keywordsOf(schema)))?.[0]]),
      [],
    );
  });

  it('are of one type each, with the items of each array', () => {
    const typesIn = (value: unknown): readonly string[] => {
      if (typeof value !== 'object' || value === null) {
        return [];
      }
      const { type, items } = value as { readonly type?: unknown; readonly items?: unknown };
      const own =
        Array.isArray(type) || (type === 'array' && items === undefined) ? [JSON.stringify(value)] : [];
      return [...own, ...Object.values(value).flatMap(typesIn)];
    };
    assert.deepEqual(
      each.flatMap(([, schema]) => typesIn(schema)),
      [],
    );
  });

  it('allow null for each optional field, as strict function calling sends it', () => {
    for (const [name, shape] of Object.entries(toolInputs)) {
      const optional = Object.entries<ZodType>({ ...shape.out.shape }).filter(
        ([, field]) => field.safeParse(undefined).success,
      );
      const sent = {
        ...argumentsOf[name as ToolName],
        ...Object.fromEntries(optional.map(([key]) => [key, null])),
      };
      const { error } = shape.safeParse({ ...sent, ...argumentsOf[name as ToolName] });
      assert.equal(error, undefined, name);
    }
  });
});

describe('The description of a tool for a client', () => {
  it('is that the end of an instance needs an open editor', () => {
    const tools = listedTools().filter(({ name }) => ['quote_rental', 'set_schedule'].includes(name));
    assert.equal(tools.length, 2);
    for (const { description, inputSchema } of tools) {
      assert.match(description, /open editor of the user stops or destroys/);
      assert.match(JSON.stringify(inputSchema), /"What an open editor of the user does/);
    }
    assert.match(instructions, /needs an open editor/);
  });

  const withHint = (name: string) =>
    listedTools()
      .filter(({ annotations }) => (annotations as Readonly<Record<string, unknown>>)[name] === true)
      .map((tool) => tool.name);

  it('is which ones change nothing, lose data, and may be called again', () => {
    const all = toolSpecs.map(({ name }) => name);
    assert.deepEqual(withHint('readOnlyHint'), [
      ...['search_offers', 'list_templates', 'quote_rental', 'get_request'],
      ...['list_instances', 'get_instance', 'check_job', 'get_job', 'list_jobs'],
    ]);
    assert.deepEqual(withHint('destructiveHint'), [
      'run_command',
      'set_schedule',
      'destroy_instance',
      'stop_job',
    ]);
    assert.deepEqual(
      withHint('idempotentHint'),
      all.filter((name) => name !== 'run_command'),
    );
  });
});

describe('the answer for a model', () => {
  const gpu = '漢'.repeat(80);
  const rows = Array.from({ length: 23 }, (_, at) => ({
    offer: `offer_${at}`,
    untrusted: { gpu, name: gpu },
  }));
  const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

  it('is a page of whole rows of at most 6 KB, and states where to read on', () => {
    const seen: unknown[] = [];
    let from: number | undefined = 0;
    while (from !== undefined && seen.length < 50) {
      const page: Readonly<Record<string, unknown>> = pageOf(
        'offers',
        rows,
        { from, limit: 20 },
        { demo: true },
      );
      const { structured, isError } = toolAnswer(page);
      assert.deepEqual([structured, isError], [page, false]);
      assert.ok(sizeOf(page) <= mostBytes);
      assert.equal(page['total'], rows.length);
      seen.push(...(page['offers'] as unknown[]));
      const isLast: boolean = page['cursor'] === undefined;
      assert.equal(/call again with this cursor/i.test(String(page['next'])), !isLast);
      from = isLast ? undefined : Number(page['cursor']);
    }
    assert.deepEqual(seen, rows);
  });

  it('is an empty page past the end of a list that became shorter', () => {
    assert.deepEqual(pageOf('offers', rows, { from: 40, limit: 5 }, {}), { offers: [], total: rows.length });
  });

  it('is an error where it is too large, and never a part of it', () => {
    const { isError, text } = toolAnswer({ offers: rows });
    assert.equal(isError, true);
    assert.match(text, /too large/);
  });

  it('has as much of the end of a long text as fits in bytes, and states whether it was cut', () => {
    for (const long of ['漢'.repeat(5000), '\n"'.repeat(5000), '😀'.repeat(5000)]) {
      const { text, isCut } = endOfText(long, 3000);
      assert.equal(isCut, true);
      assert.ok(sizeOf(text) <= 3000 && sizeOf(text) > 2900, String(sizeOf(text)));
      assert.ok(long.endsWith(text.slice(1)));
    }
    assert.deepEqual(endOfText('a\u001b[31mb', 3000), { text: 'ab', isCut: false });
    assert.equal(endOfText(`x${'\u0000'.repeat(100_000)}y`, 3000).isCut, true);
  });

  it('has the end of a log and nothing that drives a terminal or turns the reading direction', () => {
    const log = `${'x'.repeat(1_000_000)}\u001b]8;;https://evil.example\u0007\u001b[2J\u202e\u0000\ud800 end\nof log`;
    const plain = untrustedText(log, 100);
    assert.match(plain, /^…x+ end\nof log$/);
    assert.equal(plain.length, 100);
  });

  it('has an error in one cut sentence', () => {
    const { isError, text } = errorAnswer(`Gone.\u001b[31m${'!'.repeat(5000)}`);
    assert.equal(isError, true);
    assert.equal(text.length, 1000);
  });
});

describe('limits of agents', () => {
  const some: AgentLimits = {
    access: 'ask',
    perDay: 10,
    perHour: 1,
    instances: 1,
    hours: 8,
    questionsPerHour: 6,
  };

  it('are the smaller of the settings and what was confirmed', () => {
    const set: AgentLimits = { ...some, perDay: 1000, hours: 2 };
    assert.deepEqual(limitsInForce(set, some), { ...some, hours: 2 });
    assert.deepEqual(limitsInForce(set, noLimits), noLimits);
    assert.equal(limitsInForce({ ...some, access: 'read' }, some).access, 'read');
  });

  it('have to be confirmed where anything rises', () => {
    assert.equal(isRaised(some, noLimits), true);
    assert.equal(isRaised(some, some), false);
    assert.equal(isRaised({ ...some, perHour: 1.01 }, some), true);
    assert.equal(isRaised({ ...some, access: 'off', perHour: 5 }, some), false);
    assert.equal(isRaised({ ...some, access: 'read', perHour: 5 }, some), false);
  });
});
