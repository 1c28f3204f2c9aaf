import {
  CLIENT_INFO_META_KEY,
  McpServer,
  type ServerContext,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import type { Clock } from '../../util/clock';
import { fieldsOf } from './fields';
import { problemSentence } from './problems';
import { whileReporting } from './progress';
import { prompts } from './prompts';
import { addResources, resourceError, type ReadTool } from './resources';

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
  readonly clock: Clock;
  /** The name that the client gave in its handshake, if there was one. */
  readonly clientName: () => string;
  /** Calls back after each change of what the resources list. */
  readonly watch: (onChange: () => void) => void;
}

/** Returns a Model Context Protocol server for one client. */
export function createMcpServer(deps: McpServerDeps): McpServer {
  const { version, instructions, tools } = deps;
  const server = new McpServer(
    { name: 'gpu-rental', title: 'GPU Rental', version },
    {
      instructions,
      capabilities: { tools: { listChanged: false }, prompts: { listChanged: false } },
    },
  );
  for (const { name, inputSchema, outputSchema, ...shown } of tools) {
    server.registerTool(
      name,
      {
        ...shown,
        inputSchema: unchecked(inputSchema),
        outputSchema: unchecked(outputSchema),
      },
      async (input, context) =>
        asProtocolResult(
          await whileReporting(
            deps.clock,
            context,
            answer({ tool: name, input, client: clientOf(context) }, context.mcpReq.signal),
          ),
        ),
    );
  }
  addResources(server, readTool());
  addPrompts(server);
  return server;

  function clientOf({ mcpReq }: ServerContext): string {
    const given = fieldsOf(fieldsOf(mcpReq.envelope)[CLIENT_INFO_META_KEY])['name'];
    return typeof given === 'string' ? given : deps.clientName();
  }

  /** Most clients never look at resources, so nothing is watched before. */
  function readTool(): ReadTool {
    let isWatched = false;
    return async (tool, input, context) => {
      if (!isWatched) {
        isWatched = true;
        deps.watch(() => {
          server.sendResourceListChanged();
        });
      }
      const client = clientOf(context);
      const { structured, isError } = await answer({ tool, input, client }, context.mcpReq.signal);
      if (isError) {
        throw resourceError(String(fieldsOf(structured)['error']));
      }
      return structured;
    };
  }

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

function addPrompts(server: McpServer): void {
  for (const { name, title, description, arguments: wanted, text } of prompts) {
    const properties = Object.fromEntries(
      Object.entries(wanted).map(([key, { description: about }]) => [
        key,
        { type: 'string', description: about },
      ]),
    );
    const required = Object.keys(wanted).filter((key) => wanted[key]?.isRequired);
    const argsSchema = unchecked({ type: 'object', properties, required });
    server.registerPrompt(name, { title, description, argsSchema }, (given) => {
      const values = new Map(Object.entries(fieldsOf(given)).map(([key, value]) => [key, String(value)]));
      const content = { type: 'text' as const, text: text((key) => values.get(key)) };
      return { messages: [{ role: 'user' as const, content }] };
    });
  }
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
