import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describedTools } from '../../../../src/agents/model/describedTools';
import { serverName } from '../../../../src/agents/model/mcpConfiguration';
import { requestStates } from '../../../../src/agents/model/request';
import { workspaceSchemas } from '../../../../src/jobs/model/jobsInFile';

const file = path.resolve(__dirname, '..', '..', '..', '..', 'media', 'skill', 'SKILL.md');
const skill = readFileSync(file, 'utf8');

/** Every name and every choice of a schema, on any level. */
function namesIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) {
    return [];
  }
  const { properties = {}, enum: choices = [] } = schema as {
    readonly properties?: object;
    readonly enum?: readonly unknown[];
  };
  return [...Object.keys(properties), ...choices.map(String), ...Object.values(schema).flatMap(namesIn)];
}

describe('the skill for agents', () => {
  const tools = describedTools();
  const known = new Set<string>([
    serverName,
    ...requestStates.options,
    ...Object.values(workspaceSchemas()).flatMap(namesIn),
    ...tools.flatMap(({ name, inputSchema, outputSchema }) => [
      name,
      ...namesIn(inputSchema),
      ...namesIn(outputSchema),
    ]),
  ]);
  const spans = [...skill.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);

  it('names only tools, fields and values that exist', () => {
    const names = spans.filter((span) => /^[\w-]+$/.test(span));
    assert.ok(names.length > 30);
    assert.deepEqual(
      names.filter((name) => !known.has(name)),
      [],
    );
  });

  it('has a field only where a tool of its paragraph has it', () => {
    const wrong = skill.split(/\n(?=\d\. |- |\n)/).flatMap((part) => {
      const named = [...part.matchAll(/`([\w-]+)`/g)].map(([, span = '']) => span);
      const here = tools.filter(({ name }) => named.includes(name));
      const fields = new Set(
        here.flatMap((tool) => [...namesIn(tool.inputSchema), ...namesIn(tool.outputSchema)]),
      );
      const isTool = (name: string) => tools.some((tool) => tool.name === name);
      return here.length === 0 ? [] : named.filter((name) => !isTool(name) && !fields.has(name));
    });
    assert.deepEqual(wrong, []);
  });

  it('begins with the name of its folder and a description that clients read whole', () => {
    const [, front = ''] = /^---\n([^]*?)\n---\n/.exec(skill) ?? [];
    const [, name] = /^name: (.+)$/m.exec(front) ?? [];
    const [, description = ''] = /^description: (.+)$/m.exec(front) ?? [];
    assert.equal(name, 'gpu-rental');
    assert.ok(description.length > 100 && description.length <= 1024, String(description.length));
    assert.doesNotMatch(description, /: |^["'[{]/, 'plain text of YAML');
  });

  it('covers every tool, its limits and its time', () => {
    const missing = tools.filter(({ name }) => !spans.includes(name)).map(({ name }) => name);
    assert.deepEqual(missing, []);
    const most = tools.find(({ name }) => name === 'run_command')?.inputSchema['properties'] as {
      readonly timeoutSeconds: { readonly maximum: number };
    };
    assert.ok(skill.includes(`at most ${most.timeoutSeconds.maximum} seconds`));
  });
});
