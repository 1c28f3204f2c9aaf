import * as z from 'zod';
import { toolInputs, toolOutputs } from './toolShapes';
import { toolSpecs } from './tools';

type JsonObject = Record<string, unknown>;

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  // Some clients know no rule for names of members.
  const override = ({ jsonSchema: made }: { jsonSchema: JsonObject }) => {
    delete made['propertyNames'];
  };
  const generated = Object.entries(z.toJSONSchema(schema, { target: 'draft-7', io, override }));
  return Object.fromEntries(generated.filter(([key]) => key !== '$schema'));
}

/** The schemas of each tool by its name, for the file beside this one. Our bundles have no such converter. */
export function toolSchemas(): Readonly<
  Record<string, { readonly input: JsonObject; readonly output: JsonObject }>
> {
  return Object.fromEntries(
    toolSpecs.map(({ name }) => [
      name,
      { input: jsonSchema(toolInputs[name], 'input'), output: jsonSchema(toolOutputs[name], 'output') },
    ]),
  );
}

/** What `package.json` declares for the chat of the editor. */
export function languageModelTools(): readonly JsonObject[] {
  const schemas = toolSchemas();
  return toolSpecs.map(({ name, description }) => ({
    name: `gpuRental_${name}`,
    toolReferenceName: `gpu-${name.replaceAll('_', '-')}`,
    displayName: `%agentTool.${name}%`,
    modelDescription: description,
    canBeReferencedInPrompt: true,
    when: 'config.gpuRental.agents.access != off',
    inputSchema: schemas[name]?.input,
  }));
}
