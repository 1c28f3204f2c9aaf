import schemas from './toolSchemas.json';
import { toolSpecs, type ToolDescription } from './tools';

/** The tools with their schemas, always in the same order. */
export function describedTools(): readonly ToolDescription[] {
  return toolSpecs.map((spec) => ({
    ...spec,
    inputSchema: schemas[spec.name].input,
    outputSchema: schemas[spec.name].output,
  }));
}
