import { describedTools } from '../model/describedTools';
import { toolRisks, type ToolDescription } from '../model/tools';
import type { ListedTool } from './mcpServer';

/** Returns the tools as the protocol lists them. All hints are set, because their defaults assume the worst. */
export function listedTools(): readonly ListedTool[] {
  return describedTools().map((tool) => {
    const { name, title, description, inputSchema, outputSchema } = tool;
    return { name, title, description, inputSchema, outputSchema, annotations: hintsOf(tool) };
  });
}

function hintsOf({ name, isIdempotent, title, outputSchema }: ToolDescription): object {
  const [risk] = toolRisks[name];
  return {
    title,
    readOnlyHint: risk === 'read',
    destructiveHint: risk === 'destroy' || risk === 'execute',
    idempotentHint: isIdempotent,
    // Editors show results of an open-world tool to the user before the model reads them.
    openWorldHint: JSON.stringify(outputSchema).includes('"untrusted"'),
  };
}
