import { PassThrough } from 'node:stream';
import type { RunResult } from '../../ssh/run';
import type { SshService, StreamProgram } from '../../ssh/service';
import { lastLines, TransferError } from '../../ssh/transfer';
import { orCancelled } from '../../util/cancellation';
import { wait, type Clock } from '../../util/clock';
import { MutableDisposable, type Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';
import type { Log } from '../../util/log';
import { text } from '../../util/text';
import { SftpClient } from './client';
import { NotSftpError } from './wire';

interface Deps {
  readonly ssh: Pick<SshService, 'stream'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Where distributions have the server of OpenSSH. */
const servers = ['lib/openssh', 'libexec', 'libexec/openssh', 'lib/ssh', 'lib'].map(
  (folder) => `/usr/${folder}/sftp-server`,
);
/** That the machine has none of them. A code of 127 would mean that this computer has no ssh (src/ssh/run.ts). */
const noServerCode = 69;
const byPath = `for p in ${servers.join(' ')}; do [ -x "$p" ] && exec "$p"; done; exit ${noServerCode}`;

/** For the first answer, in milliseconds, login included. */
const helloMs = 30_000;
/** For the next byte of an answer, in milliseconds: a disk that hangs there answers nothing, and may never. */
const silentMs = 60_000;
/** A login that stands counts as use of the machine and keeps it awake, so it is closed after this time without work. */
const idleMs = 60_000;

/** One SFTP connection to each machine that is in use, over our own ssh. */
export class SftpConnections implements Disposable {
  private readonly open = new Map<string, Connection>();

  constructor(private readonly deps: Deps) {}

  /** Runs `action` with a connection, which ends after a minute without any. Throws as `SshService.exec`, or `SftpError`. */
  async use<T>(alias: string, action: (client: SftpClient) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const known = this.open.get(alias);
    const connection = known?.isEnded === false ? known : new Connection(this.deps, alias);
    this.open.set(alias, connection);
    return orCancelled(connection.use(action), signal);
  }

  /** Ends the connection to one machine, or all. */
  close(alias?: string): void {
    for (const [one, connection] of this.open) {
      if (alias === undefined || alias === one) {
        connection.dispose();
        this.open.delete(one);
      }
    }
  }

  dispose(): void {
    this.close();
  }
}

class Connection implements Disposable {
  private readonly ending = new AbortController();
  private readonly idle = new MutableDisposable<Disposable>();
  private readonly silence = new MutableDisposable<Disposable>();
  private readonly client: Promise<SftpClient>;
  private latest: SftpClient | undefined;
  private isRefused = false;
  private users = 0;

  constructor(
    private readonly deps: Deps,
    private readonly alias: string,
  ) {
    this.client = this.connect();
    this.client.catch(() => {
      this.isRefused = true;
    });
  }

  get isEnded(): boolean {
    return this.isRefused || this.ending.signal.aborted || this.latest?.isEnded === true;
  }

  async use<T>(action: (client: SftpClient) => Promise<T>): Promise<T> {
    this.users += 1;
    this.idle.value = undefined;
    try {
      return await action(await this.client);
    } finally {
      this.users -= 1;
      if (this.users === 0) {
        this.idle.value = this.deps.clock.schedule(() => {
          this.dispose();
        }, idleMs);
      }
    }
  }

  dispose(): void {
    this.idle.dispose();
    this.silence.dispose();
    this.ending.abort();
  }

  /** The program first: what start-up files print, or a tmux that they start, breaks the subsystem of most servers. */
  private async connect(): Promise<SftpClient> {
    const first = await this.attempt((onBegin) => ({ script: byPath, onBegin }));
    if (first instanceof SftpClient) {
      return first;
    }
    const second = await this.attempt(() => ({ subsystem: 'sftp' }));
    if (second instanceof SftpClient) {
      return second;
    }
    this.deps.log.warn(`No SFTP on ${this.alias}: ${first}; ${second}`);
    throw new UserError(text('The instance has no SFTP server, so its files can’t be listed here.'));
  }

  private silenceOf(client: SftpClient): Disposable {
    return this.deps.clock.schedule(() => {
      client.end(new TransferError(''));
      this.dispose();
    }, silentMs);
  }

  /** Returns what the machine printed in place of an answer. Throws what ssh itself reports. */
  private async attempt(program: (onBegin: () => void) => StreamProgram): Promise<SftpClient | string> {
    const stop = new AbortController();
    const signal = AbortSignal.any([this.ending.signal, stop.signal]);
    const input = new PassThrough();
    const client = new SftpClient((bytes) => {
      input.write(bytes);
      this.silence.value ??= this.silenceOf(client);
    });
    this.latest = client;
    const chosen = program(() => client.hello());
    if ('subsystem' in chosen) {
      client.hello();
    }
    const ended = this.deps.ssh
      .stream(this.alias, chosen, {
        signal,
        input,
        output: async (pieces) => {
          for await (const piece of pieces) {
            client.receive(piece);
            this.silence.value = client.isWaiting ? this.silenceOf(client) : undefined;
          }
        },
      })
      .then(reasonOf, (error: unknown) => (error instanceof Error ? error : new Error(String(error))))
      .then((reason) => {
        input.destroy();
        client.end(reason);
        return reason;
      });
    const waiting = new AbortController();
    const late = wait(this.deps.clock, helloMs, waiting.signal).then(() => new TransferError(''));
    late.catch(() => undefined);
    const begun = client.ready.then(
      () => undefined,
      () => ended,
    );
    const failed = await Promise.race([begun, late, ended]);
    waiting.abort();
    if (failed === undefined) {
      return client;
    }
    stop.abort();
    if (failed instanceof NoServerError || failed instanceof NotSftpError) {
      return failed.message;
    }
    throw failed;
  }
}

class NoServerError extends Error {}

function reasonOf(result: RunResult): Error {
  return result.code === noServerCode || /subsystem request failed/.test(result.stderr)
    ? new NoServerError(lastLines(result))
    : new TransferError(lastLines(result));
}
