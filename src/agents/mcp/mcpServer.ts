import { CLIENT_INFO_META_KEY, McpServer, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { fieldsOf } from './fields';
import { problemSentence } from './problems';

/** A tool as the protocol lists it, the same for every client and connection. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly outputSchema: object;
  readonly annotations: object;
}

/** The result of a tool call. */
export interface ToolResult {
  readonly structured: object;
  readonly isError: boolean;
}

export interface ToolCall {
  readonly tool: string;
  readonly input: unknown;
  /** The client's name for itself, which is only a claim. */
  readonly client: string;
}

export interface McpServerDeps {
  readonly version: string;
  readonly instructions: string;
  readonly tools: readonly ListedTool[];
  readonly call: (call: ToolCall, signal: AbortSignal) => Promise<ToolResult>;
  /** The name that the client gave in its handshake, if there was one. */
  readonly clientName: () => string;
}

/** Returns a Model Context Protocol server for one client, with tools only. */
export function createMcpServer(deps: McpServerDeps): McpServer {
  const { version, instructions, tools } = deps;
  const server = new McpServer(
    { name: 'gpu-rental', title: 'GPU Rental', version },
    { instructions, capabilities: { tools: { listChanged: false } } },
  );
  for (const { name, inputSchema, outputSchema, ...shown } of tools) {
    server.registerTool(
      name,
      {
        ...shown,
        inputSchema: unchecked(inputSchema),
        outputSchema: unchecked(outputSchema),
      },
      async (input, { mcpReq }) => {
        const given = fieldsOf(fieldsOf(mcpReq.envelope)[CLIENT_INFO_META_KEY])['name'];
        const client = typeof given === 'string' ? given : deps.clientName();
        return asProtocolResult(await answer({ tool: name, input, client }, mcpReq.signal));
      },
    );
  }
  return server;

  async function answer(call: ToolCall, signal: AbortSignal): Promise<ToolResult> {
    try {
      return await deps.call(call, signal);
    } catch {
      // The package would show the error to the client.
      return { structured: { error: problemSentence('failed') }, isError: true };
    }
  }
}

/** Lists a schema and accepts every value: the editor checks arguments, with errors that name the remedy. */
function unchecked(schema: object): StandardSchemaWithJSON {
  const listed = () => ({ ...schema });
  return {
    '~standard': {
      version: 1,
      vendor: 'gpu-rental',
      validate: (value) => ({ value }),
      jsonSchema: { input: listed, output: listed },
    },
  };
}

function asProtocolResult({ structured, isError }: ToolResult) {
  if (isError) {
    // Clients check structured content against the schema of the tool, which an error does not match.
    const { error } = fieldsOf(structured);
    return { content: [{ type: 'text' as const, text: String(error) }], isError };
  }
  return {
    // Clients before 2025-06-18 read only the text.
    content: [{ type: 'text' as const, text: JSON.stringify(structured) }],
    structuredContent: { ...structured },
  };
}
