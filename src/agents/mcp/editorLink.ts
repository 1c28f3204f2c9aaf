import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { hubAddress, maxAgentBytes } from '../../store/windows/hubAddress';
import { isProof, makeNonce, prove } from '../../store/windows/hubProof';
import { addressInTerm, HubTerms } from '../../store/windows/hubTerms';
import { wait, type Clock } from '../../util/clock';
import type { Disposable } from '../../util/disposable';
import { errorCode } from '../../util/errorCode';
import { JsonLines } from '../../util/jsonLines';
import { fieldsOf } from './fields';

/** Why a call has no answer from the editor. Only with `lost` and `late` may something have been done. */
export type LinkProblem = 'noEditor' | 'refused' | 'tooLarge' | 'lost' | 'late' | 'cancelled';

export type LinkAnswer = { readonly what: unknown } | { readonly problem: LinkProblem };

export interface AskOptions {
  readonly signal: AbortSignal;
  /** True if the call may be sent to the next leading window after its answer was lost. */
  readonly mayRepeat: boolean;
}

/** How long a call waits for a window (ms): longer than a reload, so that a client does not notice one. */
const findMs = 5000;
const pauseMs = 200;
const greetMs = 5000;
/** Time limit of an answer (ms), below the 60 s after which many clients repeat a call. */
const answerMs = 50_000;
/** Attempts per call: the leader may change, and the next one may end as well. */
const maxTries = 3;
/** Limit of an answer in bytes; ordinary answers have a few kilobytes. */
const maxBytes = 1024 * 1024;

interface Connected {
  readonly socket: Socket;
  readonly open: Map<string, (answer: LinkAnswer) => void>;
}

/**
 * The connection to the leading window, over the socket where windows meet. It never creates that socket, and it holds
 * no key, so it can do nothing by itself.
 */
export class EditorLink implements Disposable {
  private current: Promise<Connected | LinkProblem> | undefined;
  private count = 0;
  private isOver = false;

  constructor(private readonly deps: { readonly storageDir: string; readonly clock: Clock }) {}

  async ask(what: unknown, { signal, mayRepeat }: AskOptions): Promise<LinkAnswer> {
    const until = this.deps.clock.elapsed() + answerMs;
    for (let tries = 1; ; tries += 1) {
      const connected = await this.connected(signal);
      if (typeof connected === 'string') {
        return { problem: connected };
      }
      const answer = await this.send(connected, what, until, signal);
      if (!('problem' in answer) || answer.problem !== 'lost' || !mayRepeat || tries === maxTries) {
        return answer;
      }
    }
  }

  dispose(): void {
    this.isOver = true;
    void this.current?.then((connected) => {
      if (typeof connected !== 'string') {
        connected.socket.destroy();
      }
    });
  }

  private send(
    { socket, open }: Connected,
    what: unknown,
    until: number,
    signal: AbortSignal,
  ): Promise<LinkAnswer> {
    const { clock } = this.deps;
    this.count += 1;
    const id = String(this.count);
    const call = { t: 'ask', id, what };
    if (Buffer.byteLength(JSON.stringify(call)) > maxAgentBytes) {
      // The window would hang up, which cancels the other calls of this client.
      return Promise.resolve({ problem: 'tooLarge' });
    }
    return new Promise((resolve) => {
      const drop = (problem: LinkProblem) => {
        write(socket, { t: 'drop', id });
        settle({ problem });
      };
      const timer = clock.schedule(() => drop('late'), Math.max(0, until - clock.elapsed()));
      const onAbort = () => drop('cancelled');
      const settle = (answer: LinkAnswer) => {
        timer.dispose();
        signal.removeEventListener('abort', onAbort);
        open.delete(id);
        resolve(answer);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      open.set(id, settle);
      write(socket, call);
      if (socket.destroyed) {
        settle({ problem: 'lost' });
      }
    });
  }

  /** Returns the open connection or a new one; waits a few seconds for a window that reloads. */
  private async connected(signal: AbortSignal): Promise<Connected | LinkProblem> {
    const { clock } = this.deps;
    const until = clock.elapsed() + findMs;
    for (;;) {
      // The storage folder may refuse for a moment, as when too many files are open.
      this.current ??= this.connect().catch((): LinkProblem => 'refused');
      const found = await this.current;
      if (signal.aborted || this.isOver) {
        return 'cancelled';
      }
      if (typeof found !== 'string') {
        return found;
      }
      this.current = undefined;
      if (clock.elapsed() >= until) {
        return found;
      }
      await wait(clock, pauseMs, signal).catch(() => undefined);
    }
  }

  private async connect(): Promise<Connected | LinkProblem> {
    const { storageDir } = this.deps;
    const token = await readFile(join(storageDir, 'windows.token'), 'utf8').catch(() => '');
    if (!/^[0-9a-f]{64}$/.test(token.trim())) {
      return 'noEditor';
    }
    const term = await new HubTerms(storageDir).read();
    return this.greet(addressInTerm(hubAddress(storageDir, token.trim()), term).path, token.trim());
  }

  private greet(path: string, token: string): Promise<Connected | LinkProblem> {
    const nonce = makeNonce();
    const socket = connect(path);
    const open: Connected['open'] = new Map();
    let problem: LinkProblem = 'refused';
    return new Promise((resolve) => {
      const timer = this.deps.clock.schedule(() => socket.destroy(), greetMs);
      let isWelcome = false;
      const onLine = (value: unknown) => {
        const message = fieldsOf(value);
        if (message['t'] === 'challenge' && typeof message['nonce'] === 'string' && !isWelcome) {
          write(socket, { t: 'agent', proof: prove(token, 'agent', message['nonce']), nonce });
        } else if (
          message['t'] === 'welcome' &&
          typeof message['proof'] === 'string' &&
          isProof(token, 'leader', nonce, message['proof'])
        ) {
          isWelcome = true;
          timer.dispose();
          resolve({ socket, open });
        } else if (message['t'] === 'answer' && isWelcome) {
          open.get(String(message['id']))?.({ what: message['what'] });
        } else {
          socket.destroy();
        }
      };
      const lines = new JsonLines({
        line: onLine,
        tooLong: () => socket.destroy(),
        maxBytes: () => maxBytes,
      });
      socket.on('data', (chunk: Buffer) => lines.receive(chunk));
      socket.on('error', (error) => {
        const code = errorCode(error);
        problem = code === 'ECONNREFUSED' || code === 'ENOENT' ? 'noEditor' : problem;
      });
      socket.on('close', () => {
        timer.dispose();
        if (isWelcome) {
          this.current = undefined;
          [...open.values()].forEach((settle) => settle({ problem: 'lost' }));
        } else {
          resolve(problem);
        }
      });
    });
  }
}

function write(socket: Socket, value: unknown): void {
  if (!socket.destroyed) {
    socket.write(`${JSON.stringify(value)}\n`);
  }
}
