import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { systemClock } from '../../util/clock';
import { EditorLink } from './editorLink';
import { fieldsOf } from './fields';
import { instructions } from './instructions';
import { LineTransport } from './lineTransport';
import { createMcpServer, type ToolCall, type ToolResult } from './mcpServer';
import { problemSentence } from './problems';
import { listedTools } from './toolList';
import { watchResources } from './watch';

/**
 * `mcp.js [storage folder] [version]`: the server for agents outside of the editor. A client starts it and uses its
 * standard input and output. The file is in the storage folder of the extension, where the windows meet.
 */
const [, script = '', storageDir = path.dirname(script), version = '1'] = process.argv;

/** Distinguishes this client from others with the same name. A client starts a server of its own and ends it. */
const session = randomBytes(16).toString('hex');

const link = new EditorLink({ storageDir, clock: systemClock });

async function call({ tool, input, client }: ToolCall, signal: AbortSignal): Promise<ToolResult> {
  // Each change carries an id of the request, so that the editor makes it once.
  const answer = await link.ask({ tool, input, client, session }, { signal, mayRepeat: true });
  if ('problem' in answer) {
    return problem(answer.problem);
  }
  const { structured, isError, problem: refused } = fieldsOf(answer.what);
  return refused === undefined && typeof structured === 'object' && structured !== null
    ? { structured, isError: isError === true }
    : problem(refused);
}

function problem(kind: unknown): ToolResult {
  return { structured: { error: problemSentence(kind) }, isError: true };
}

const ended = new AbortController();
const transport = new LineTransport(process.stdin, process.stdout);
const deps = {
  version,
  instructions,
  tools: listedTools(),
  call,
  clock: systemClock,
  clientName: () => transport.clientName,
  watch: (onChange: () => void) => void watchResources(link, systemClock, ended.signal, onChange),
};

function end(): void {
  ended.abort();
  link.dispose();
  // Waits until earlier output is written.
  process.stdout.write('', () => process.exit(0));
}

serveStdio(() => createMcpServer(deps), { transport });
process.stdin.on('end', end);
process.stdin.on('error', end);
process.stdout.on('error', () => process.exit(0));
