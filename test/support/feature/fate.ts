import childProcess, { type ChildProcess } from 'node:child_process';
import fs from 'node:fs/promises';
import net from 'node:net';
import type { Writable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import type { Clock } from '../../../src/util/clock';
import { toDisposable } from '../../../src/util/disposable';

type State = 'runs' | 'hangs' | 'dead';

/**
 * Something that a window does outside of itself: a call of the disk, a request, a program that runs to its end, or what
 * ssh is sent to do on a machine.
 */
export interface Deed {
  readonly kind: 'disk' | 'request' | 'program' | 'script';
  readonly name: string;
  readonly args: readonly unknown[];
}

/** A promise that nothing comes of any more, as in a process that was killed. */
const never = new Promise<never>(() => undefined);

/**
 * Whether a window lives. One that hangs gets no timer, no answer of the disk and of the network until it goes on; one
 * that was killed never gets any again, and its connections are closed. What left it before has left.
 */
export class Fate {
  private state: State = 'runs';
  private readonly waiting: (() => void)[] = [];
  private readonly sockets = new Set<net.Socket>();
  private readonly ends: (() => void)[] = [];
  private readonly programs = new Set<ChildProcess>();
  /** Told of each deed before it is done and once it is; whoever is told may kill the window. */
  onDeed: ((deed: Deed, when: 'before' | 'after') => void) | undefined;
  /** What the clocks showed when it began to hang. */
  private frozen: { readonly now: number; readonly elapsed: number } | undefined;

  constructor(private readonly time: Clock) {}

  readonly clock: Clock = {
    now: () => this.frozen?.now ?? this.time.now(),
    elapsed: () => this.frozen?.elapsed ?? this.time.elapsed(),
    schedule: (run, delayMs) => {
      if (this.state === 'dead') {
        return toDisposable(() => undefined);
      }
      let isOver = false;
      const timer = this.time.schedule(() => {
        this.whenItRuns(() => {
          if (!isOver) {
            run();
          }
        });
      }, delayMs);
      this.ends.push(() => timer.dispose());
      return toDisposable(() => {
        isOver = true;
        timer.dispose();
      });
    },
  };

  /** Modules of the runtime as this window has them. */
  readonly modules: Readonly<Record<string, unknown>> = {
    'node:child_process': { ...childProcess, spawn: this.spawn() },
    'node:fs/promises': this.heldBack(fs),
    'node:net': this.network(),
    'undici/lib/dispatcher/agent.js': this.agent(),
  };

  get isDead(): boolean {
    return this.state === 'dead';
  }

  get isHung(): boolean {
    return this.state === 'hangs';
  }

  hang(): void {
    if (this.state !== 'runs') {
      return;
    }
    this.state = 'hangs';
    this.frozen = { now: this.time.now(), elapsed: this.time.elapsed() };
    for (const socket of this.sockets) {
      socket.pause();
    }
  }

  goOn(): void {
    if (this.state !== 'hangs') {
      return;
    }
    this.state = 'runs';
    this.frozen = undefined;
    for (const run of this.waiting.splice(0)) {
      run();
    }
    for (const socket of this.sockets) {
      socket.resume();
    }
  }

  kill(): void {
    this.state = 'dead';
    this.waiting.length = 0;
    for (const end of this.ends.splice(0)) {
      end();
    }
    for (const socket of this.sockets) {
      socket.destroy();
    }
    // The system closes the pipes of a process that was killed; its programs go on without them.
    for (const { stdin, stdout, stderr } of this.programs) {
      [stdin, stdout, stderr].forEach((pipe) => pipe?.destroy());
    }
  }

  /** What comes back to this window from outside: later where it hangs, never where it is dead. */
  async through<T>(work: () => Promise<T>, deed?: Deed): Promise<T> {
    if (deed) {
      this.notify(deed, 'before');
    }
    if (this.isDead) {
      return never;
    }
    try {
      const value = await work();
      if (deed) {
        this.notify(deed, 'after');
      }
      await this.untilItRuns();
      return value;
    } catch (error) {
      await this.untilItRuns();
      throw error;
    }
  }

  private notify(deed: Deed, when: 'before' | 'after'): void {
    if (!this.isDead) {
      this.onDeed?.(deed, when);
    }
  }

  /** Ends the programs that run, as a connection that breaks does. */
  cut(): void {
    for (const program of this.programs) {
      program.kill('SIGKILL');
    }
  }

  private untilItRuns(): Promise<void> {
    return this.isDead ? never : new Promise((resolve) => this.whenItRuns(resolve));
  }

  private whenItRuns(run: () => void): void {
    if (this.state === 'runs') {
      run();
    } else if (this.state === 'hangs') {
      this.waiting.push(run);
    }
  }

  private heldBack(module: object): object {
    return Object.fromEntries(
      Object.entries(module).map(([name, value]: [string, unknown]) => [
        name,
        typeof value === 'function'
          ? (...args: unknown[]) =>
              this.through(() => value.apply(module, args) as Promise<unknown>, { kind: 'disk', name, args })
          : value,
      ]),
    );
  }

  private spawn(): typeof childProcess.spawn {
    const start = (
      name: string,
      args: readonly string[],
      options: childProcess.SpawnOptions,
    ): ChildProcess => {
      const deed: Deed = { kind: 'program', name, args };
      this.notify(deed, 'before');
      if (this.isDead) {
        throw new Error('A window that was killed starts no program');
      }
      const program = childProcess.spawn(name, args, options);
      if (name.endsWith('ssh') && program.stdin) {
        this.beforeSent(program.stdin, (sent) => {
          const script: Deed = { kind: 'script', name, args: [sent] };
          this.notify(script, 'before');
          program.once('close', () => this.notify(script, 'after'));
        });
      }
      this.programs.add(program);
      program.once('close', () => {
        this.programs.delete(program);
        this.notify(deed, 'after');
      });
      return program;
    };
    return start as typeof childProcess.spawn;
  }

  /** Tells of the first text that a program is sent. A window that is killed then sends nothing. */
  private beforeSent(stdin: Writable, begins: (sent: string) => void): void {
    let hasBegun = false;
    const guarded =
      <R>(send: (...given: unknown[]) => R, none: R) =>
      (...given: unknown[]): R => {
        if (!hasBegun) {
          hasBegun = true;
          const [first] = given;
          begins(typeof first === 'string' || Buffer.isBuffer(first) ? first.toString() : '');
        }
        return this.isDead ? none : send(...given);
      };
    stdin.write = guarded(stdin.write.bind(stdin) as (...given: unknown[]) => boolean, false);
    stdin.end = guarded(stdin.end.bind(stdin) as (...given: unknown[]) => Writable, stdin) as Writable['end'];
  }

  private own(socket: net.Socket): net.Socket {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    if (this.isDead) {
      socket.destroy();
    }
    return socket;
  }

  private network(): object {
    return {
      ...net,
      connect: (...args: Parameters<typeof net.connect>) => this.own(net.connect(...args)),
      createServer: (take: (socket: net.Socket) => void) => {
        const server = net.createServer((socket) => {
          this.own(socket);
          this.whenItRuns(() => take(socket));
        });
        this.ends.push(() => server.close());
        return server;
      },
    };
  }

  private agent(): typeof Agent {
    const { ends } = this;
    const isDead = () => this.isDead;
    const through = <T>(work: () => Promise<T>, deed: Deed) => this.through(work, deed);
    return class extends Agent {
      constructor(options?: ConstructorParameters<typeof Agent>[0]) {
        super(options);
        const request = (wanted: Dispatcher.RequestOptions) =>
          through(
            async () => {
              const response = await super.request(wanted);
              if (isDead()) {
                response.body.on('error', () => undefined).destroy();
              }
              return response;
            },
            { kind: 'request', name: wanted.method, args: [wanted.path] },
          );
        Object.assign(this, { request });
        ends.push(() => void this.destroy());
      }
    };
  }
}
