import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describedTools } from '../../../../src/agents/model/describedTools';
import { ignoredMembers } from '../../../../src/agents/model/sentArguments';
import { toolInputs } from '../../../../src/agents/model/toolShapes';
import { sized, testSeed } from '../../../support/seeded';

interface Field {
  readonly type: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}
interface InputSchema {
  readonly type: string;
  readonly properties: Readonly<Record<string, Field>>;
  readonly required?: readonly string[];
  readonly additionalProperties: boolean;
}

const tools = describedTools().map(({ name, inputSchema }) => ({
  name,
  schema: inputSchema as unknown as InputSchema,
}));
const runs = { seed: testSeed, numRuns: sized(40, 2000) };

describe('the schemas of arguments', () => {
  const everywhere = new Set(['type', 'description']);
  const ofType: Readonly<Record<string, readonly string[]>> = {
    string: ['enum', 'pattern', 'minLength', 'maxLength'],
    number: ['minimum', 'maximum'],
    integer: ['minimum', 'maximum'],
  };

  /*
   * What the interfaces of all families of models take: one object of plain fields, each of one type, and no keyword that
   * one of them refuses. Lookarounds and classes of Unicode are unknown to some engines of patterns.
   */
  for (const { name, schema } of tools) {
    it(`of ${name} use only what every family of models accepts`, () => {
      assert.match(name, /^[a-z][a-z0-9_]{0,63}$/);
      const { type, properties, required = [], additionalProperties, ...others } = schema;
      assert.deepEqual([type, additionalProperties, others], ['object', false, {}]);
      assert.deepEqual(
        required.filter((key) => !Object.hasOwn(properties, key)),
        [],
      );
      for (const [key, field] of Object.entries(properties)) {
        assert.match(key, /^[a-zA-Z][a-zA-Z0-9_]{0,63}$/);
        const known = ofType[field.type] ?? assert.fail(`${key} has the type ${JSON.stringify(field.type)}`);
        const unknown = Object.keys(field).filter((one) => !everywhere.has(one) && !known.includes(one));
        assert.deepEqual(unknown, [], key);
        assert.doesNotMatch(field.pattern ?? '', /\(\?|\\[pPbBkuxc]|\\\d/);
        assert.ok((field.description ?? '').length <= 200, key);
        for (const choice of field.enum ?? []) {
          assert.match(choice, /^[a-z]+$/);
        }
      }
    });
  }
});

describe('the arguments of a call', () => {
  function valueOf(field: Field): fc.Arbitrary<string | number> {
    if (field.enum) {
      return fc.constantFrom(...field.enum);
    }
    if (field.pattern !== undefined) {
      return fc.stringMatching(new RegExp(field.pattern));
    }
    const { minimum: min = 0, maximum: max = 100 } = field;
    if (field.type === 'integer') {
      return fc.integer({ min, max });
    }
    if (field.type === 'number') {
      return fc.integer({ min: Math.ceil(min), max: Math.floor(max) });
    }
    return fc.stringMatching(/^[a-z][a-z ]{0,20}[a-z]$/);
  }

  function argumentsOf({ properties, required = [] }: InputSchema) {
    const model = Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, valueOf(one)]));
    return fc.record(model, { requiredKeys: [...required] }) as fc.Arbitrary<Record<string, string | number>>;
  }

  for (const { name, schema } of tools) {
    const read = (sent: unknown) => toolInputs[name].safeParse(sent);
    const optional = Object.keys(schema.properties).filter((key) => !(schema.required ?? []).includes(key));

    it(`of ${name} mean the same however a client writes them`, () => {
      fc.assert(
        fc.property(argumentsOf(schema), fc.constantFrom(null, ''), (plain, nothing) => {
          const { data: expected, error } = read(plain);
          assert.ok(expected, `${JSON.stringify(plain)}: ${String(error)}`);
          const filled = { ...Object.fromEntries(optional.map((key) => [key, nothing])), ...plain };
          const inWords = Object.fromEntries(
            Object.entries(plain).map(([key, value]) => [key, String(value)] as const),
          );
          const inNumbers = Object.fromEntries(
            Object.entries(plain).map(([key, value]) => {
              const isNumber = typeof value === 'string' && String(Number(value)) === value;
              return [key, isNumber ? Number(value) : value] as const;
            }),
          );
          const inCapitals = Object.fromEntries(
            Object.entries(plain).map(([key, value]) => [
              key,
              schema.properties[key]?.enum ? String(value).toUpperCase() : value,
            ]),
          );
          const own = { toolCallId: 'call_1', _meta: { progressToken: 1 }, sessionId: null };
          for (const sent of [filled, inWords, inNumbers, inCapitals, { ...plain, ...own }]) {
            assert.deepEqual(read(sent).data, expected, JSON.stringify(sent));
            assert.deepEqual(read(JSON.stringify(sent)).data, expected, 'as JSON text');
          }
          assert.deepEqual(ignoredMembers({ ...plain, ...own }, schema.properties), ['toolCallId', '_meta']);
          assert.deepEqual(ignoredMembers(filled, schema.properties), []);
        }),
        runs,
      );
    });

    it(`of ${name} may be left out where none is needed, and are refused where they mean nothing`, () => {
      const isNoneNeeded = (schema.required ?? []).length === 0;
      for (const sent of [undefined, null, {}, [], '', '{}', 'null']) {
        assert.equal(read(sent).success, isNoneNeeded, JSON.stringify(sent));
      }
      for (const sent of [7, true, 'text', '"text"', '[1]', [{}]]) {
        assert.equal(read(sent).success, false, JSON.stringify(sent));
      }
    });
  }

  it('are no number where a text is not one alone', () => {
    for (const limit of ['3 rows', '0x3', '3e0', '1,0', 'three', ' ', true, [3], { min: 3 }]) {
      assert.equal(toolInputs.search_offers.safeParse({ limit }).success, false, JSON.stringify(limit));
    }
  });

  it('name what was ignored in plain words, and not more than the answer has room for', () => {
    const many = Object.fromEntries(
      Array.from({ length: 9 }, (_, at) => [`${at}\n"}${'x'.repeat(99)}`, at] as const),
    );
    const named = ignoredMembers(many, {});
    assert.equal(named.length, 3);
    for (const one of named) {
      assert.match(one, /^[\w.-]{40}$/);
    }
  });
});
