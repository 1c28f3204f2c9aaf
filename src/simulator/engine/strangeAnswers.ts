import type { ServerResponse } from 'node:http';
import type { EngineFault } from './engineScene';

const longLineBytes = 200_000_000;
const dripMs = 50;

/** Answers as no engine should, if the scene says so. */
export function answerAsStranger(fault: EngineFault | undefined, response: ServerResponse): boolean {
  const strange = fault && strangeAnswers[fault];
  strange?.(response);
  return strange !== undefined;
}

const oddEvents = [
  'null',
  '[]',
  '7',
  '{"choices":7}',
  '{"choices":[null,{"delta":{"content":{},"tool_calls":[null]}}]}',
];
const endlessEvent = {
  choices: [{ index: 0, delta: { content: 'and so on ' }, finish_reason: null }],
};

const strangeAnswers: Partial<Record<EngineFault, (response: ServerResponse) => void>> = {
  html: (response) =>
    answer(response, 200, 'text/html', '<!doctype html><script>alert(1)</script><h1>Sign in</h1>'),
  wrongJson: (response) =>
    answer(response, 200, 'text/event-stream', 'data: {"choices":[{"delta":{"content":"\n\ndata: [DONE]\n\n'),
  oddJson: (response) =>
    answer(response, 200, 'text/event-stream', oddEvents.map((data) => `data: ${data}\n\n`).join('')),
  longLine: (response) => endlessly(response, Buffer.alloc(65_536, 'A'), 0, longLineBytes),
  endless: (response) => {
    const events = `data: ${JSON.stringify(endlessEvent)}\n\n`.repeat(100);
    endlessly(response, Buffer.from(events), 0, Infinity);
  },
  drip: (response) => endlessly(response, Buffer.from(':'), dripMs, Infinity),
  redirect: (response) => {
    response.setHeader('location', 'http://127.0.0.1:9/steal');
    answer(response, 307, 'text/plain', '');
  },
  hugeHeaders: (response) => {
    response.setHeader('x-filler', 'A'.repeat(100_000));
    answer(response, 200, 'application/json', '{}');
  },
  serverError: (response) => answer(response, 500, 'text/plain', 'Internal Server Error'),
  overloaded: (response) =>
    answer(response, 503, 'application/json', '{"error":{"message":"Too many requests","code":503}}'),
  silent: () => undefined,
  ends: () => process.exit(1),
};

function answer(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type });
  response.end(body);
}

/** Sends a piece again and again, as fast as it is read or with a pause, until so many bytes were sent. */
function endlessly(response: ServerResponse, piece: Buffer, pauseMs: number, most: number): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let sent = 0;
  const next = () => {
    if (response.destroyed) {
      return;
    }
    if (sent >= most) {
      response.end();
      return;
    }
    sent += piece.length;
    const hasRoom = response.write(piece);
    if (pauseMs > 0) {
      setTimeout(next, pauseMs);
    } else if (hasRoom) {
      setImmediate(next);
    } else {
      response.once('drain', next);
    }
  };
  next();
}
