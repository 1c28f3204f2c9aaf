import { describedTools } from '../model/agents/describedTools';
import type { ToolDescription } from '../model/agents/tools';
import type { ListedTool } from './mcpServer';

/** The tools as the protocol lists them. Its hints default to the worst, so each is given. */
export function listedTools(): readonly ListedTool[] {
  return describedTools().map((tool) => {
    const { name, title, description, inputSchema, outputSchema } = tool;
    return { name, title, description, inputSchema, outputSchema, annotations: hintsOf(tool) };
  });
}

function hintsOf({ risk, isIdempotent, title, outputSchema }: ToolDescription): object {
  return {
    title,
    readOnlyHint: risk === 'read',
    destructiveHint: risk === 'destroy' || risk === 'execute',
    idempotentHint: isIdempotent,
    // Editors show such a result to the user before the model reads it.
    openWorldHint: JSON.stringify(outputSchema).includes('"untrusted"'),
  };
}
