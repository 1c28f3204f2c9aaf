import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { systemClock } from '../../util/clock';
import { JsonLines } from '../../util/jsonLines';
import { EditorLink } from './editorLink';
import { fieldsOf } from './fields';
import { instructions } from './instructions';
import { McpServer, type ToolResult, type ToolCall } from './mcpServer';
import { problemSentence } from './problems';
import { listedTools } from './toolList';

/**
 * `mcp.js [storage folder] [version]`: the server for agents outside of the editor. A client starts it and uses its
 * standard input and output. The file is in the storage folder of the extension, where the windows meet.
 */
const [, script = '', storageDir = path.dirname(script), version = '1'] = process.argv;
/** Limit of a request in bytes; arguments of tools are much smaller. */
const maxBytes = 1024 * 1024;

/** Tells this client from others that give the same name. A client starts a server of its own and ends it. */
const session = randomBytes(16).toString('hex');

const link = new EditorLink({ storageDir, clock: systemClock });

async function call({ tool, input, client }: ToolCall, signal: AbortSignal): Promise<ToolResult> {
  // Whatever changes something carries an id of the request, by which the editor does it once.
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

const server = new McpServer({
  version,
  instructions,
  tools: listedTools(),
  call,
  send: (message) => {
    process.stdout.write(`${JSON.stringify(message)}\n`);
  },
});

function end(): void {
  server.end();
  link.dispose();
  // Waits until earlier output is written.
  process.stdout.write('', () => process.exit(0));
}

const lines = new JsonLines({
  line: (value) => server.take(value),
  // Ending here would lose the answers of all calls that are under way.
  tooLong: () => server.refuseLongLine(),
  maxBytes: () => maxBytes,
});
process.stdin.on('data', (chunk: Buffer) => lines.take(chunk));
process.stdin.on('end', end);
process.stdin.on('error', end);
process.stdout.on('error', () => process.exit(0));
