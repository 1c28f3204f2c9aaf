import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import * as http from 'node:http';
import { parseJson } from '../util/json';

/** What is at a port: the demo that was started with this key, another program, or nothing. */
export type Greeted = 'demo' | 'stranger' | 'nobody';

/** The longest wait for a busy computer (ms). */
const timeoutMs = 10_000;
const longestAnswer = 1000;

/**
 * Finds out what is at a port, and counts as a sign of life there. The key is not sent: both sides
 * prove that they have it by a value made from the key, a random word of this call and the port, so
 * that no other program learns the key, and none can pass the question on to the demo at another port.
 */
export async function greet(port: number, key: string): Promise<Greeted> {
  const nonce = randomBytes(16).toString('hex');
  const answer = await post(port, {
    'x-demo-nonce': nonce,
    'x-demo-proof': proof(key, 'window', nonce, port),
  });
  if (answer === undefined) {
    return 'nobody';
  }
  return same(proofIn(answer), proof(key, 'demo', nonce, port)) ? 'demo' : 'stranger';
}

function proof(key: string, who: 'window' | 'demo', nonce: string, port: number): string {
  return createHmac('sha256', key).update(`${who} ${nonce} ${port}`).digest('hex');
}

function proofIn(answer: string): string {
  try {
    const value: unknown = parseJson(answer);
    const isAnswer = typeof value === 'object' && value !== null && 'proof' in value;
    return isAnswer && typeof value.proof === 'string' ? value.proof : '';
  } catch {
    return '';
  }
}

function same(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}

/** The answer's text; `undefined` where nothing answers. */
function post(port: number, headers: Readonly<Record<string, string>>): Promise<string | undefined> {
  return new Promise((resolve) => {
    const request = http.request(
      { host: '127.0.0.1', port, path: '/__sim/greeting', method: 'POST', headers, timeout: timeoutMs },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
          if (text.length > longestAnswer) {
            response.destroy();
          }
        });
        response.on('close', () => {
          resolve(text.slice(0, longestAnswer));
        });
      },
    );
    request.on('timeout', () => request.destroy(new Error('No answer in time')));
    request.on('error', () => {
      resolve(undefined);
    });
    request.end();
  });
}
