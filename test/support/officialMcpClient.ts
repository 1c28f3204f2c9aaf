import { createRequire } from 'node:module';

/** What the tests use of the official client, whose own types would be read with every type check. */
export interface OfficialClient {
  connect(transport: object): Promise<void>;
  getNegotiatedProtocolVersion(): string | undefined;
  listTools(): Promise<{ readonly tools: readonly ListedByClient[] }>;
  callTool(
    call: { readonly name: string; readonly arguments: object },
    options?: { readonly signal?: AbortSignal; readonly timeout?: number },
  ): Promise<CalledByClient>;
  listResources(): Promise<{ readonly resources: readonly { readonly uri: string }[] }>;
  readResource(wanted: {
    readonly uri: string;
  }): Promise<{ readonly contents: readonly { readonly text?: string }[] }>;
  listPrompts(): Promise<{ readonly prompts: readonly { readonly name: string }[] }>;
  close(): Promise<void>;
}

export interface ListedByClient {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: { readonly type: string };
  readonly annotations?: Readonly<Record<string, unknown>>;
}

export interface CalledByClient {
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

interface ClientPackage {
  readonly Client: new (
    info: { readonly name: string; readonly version: string },
    options: object,
  ) => OfficialClient;
}
interface StdioPackage {
  readonly StdioClientTransport: new (server: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  }) => object;
}

const load = createRequire(__filename) as (name: string) => unknown;

/** Starts the server as clients do and connects to it; `mode` is the revision of the protocol that it begins with. */
export async function connectOfficialClient(
  args: readonly string[],
  mode: 'legacy' | 'auto' | { readonly pin: string },
  env: Readonly<Record<string, string>> = {},
): Promise<OfficialClient> {
  const { Client } = load('@modelcontextprotocol/client') as ClientPackage;
  const { StdioClientTransport } = load('@modelcontextprotocol/client/stdio') as StdioPackage;
  const client = new Client({ name: 'official-client', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  return client;
}
