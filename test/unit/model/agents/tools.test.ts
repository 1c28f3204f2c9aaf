import assert from 'node:assert/strict';
import manifest from '../../../../package.json';
import { toolAnswer, errorAnswer, mostBytes, untrustedText } from '../../../../src/model/agents/answer';
import { describedTools } from '../../../../src/model/agents/describedTools';
import { isRaised, limitsInForce, noLimits, type AgentLimits } from '../../../../src/model/agents/limits';
import { languageModelTools, toolSchemas } from '../../../../src/model/agents/toolSchemas';
import { toolSpecs } from '../../../../src/model/agents/tools';
import { toolInputs } from '../../../../src/model/agents/toolShapes';
import schemas from '../../../../src/model/agents/toolSchemas.json';

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

  it('are twelve, with a short description each and arguments that are an object without unknown fields', () => {
    const tools = describedTools();
    assert.equal(tools.length, 12);
    for (const { description, inputSchema } of tools) {
      assert.ok(description.length <= 400, description);
      assert.equal(inputSchema['type'], 'object');
      assert.equal(inputSchema['additionalProperties'], false);
    }
  });
});

describe('the answer for a model', () => {
  it('is at most 6 KB: texts of strangers are cut first, then rows', () => {
    const rows = Array.from({ length: 100 }, (_, at) => ({
      offer: `offer_${at}`,
      untrusted: { gpu: '漢'.repeat(900) },
    }));
    const { structured, text } = toolAnswer({ offers: rows, total: 100 });
    assert.ok(Buffer.byteLength(text) <= mostBytes);
    assert.equal(structured['total'], 100);
    assert.equal(structured['isCut'], true);
    assert.ok((structured['offers'] as unknown[]).length > 5);
  });

  it('has the end of a log and nothing that drives a terminal or turns the reading direction', () => {
    const log = `${'x'.repeat(1_000_000)}\u001b]8;;https://evil.example\u0007\u001b[2J\u202e\u0000\ud800 end\nof log`;
    const plain = untrustedText(log, 100);
    assert.match(plain, /^…x+ end\nof log$/);
    assert.equal(plain.length, 100);
  });

  it('says an error in one cut sentence', () => {
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
