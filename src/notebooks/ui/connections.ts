import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Services } from '../../services';
import type { HostKeyError } from '../../ssh/hostKey';
import { wait } from '../../util/clock';
import type { Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import { CancelledError, isCancelled, UserError } from '../../util/errors';
import { text } from '../../util/text';
import { kernelsOf, type Kernel, type ServerAddress } from '../machine/kernels';
import { findServer, startServer, type StartAnswer } from '../machine/notebookServer';
import { Tunnel } from '../machine/tunnel';
import { kernelFolder, tunnelPortOf } from '../model/notebookServers';

/** Jupyter is missing; the user must agree to install it. */
export class JupyterMissingError extends UserError {
  constructor(readonly python: string) {
    super(text('Jupyter is not installed there. Set it up in the kernel picker.'));
  }
}

/** A login may ask about keys and waits for the machine, so it needs a click. */
export class NoLoginYetError extends UserError {
  constructor() {
    super(text('GPU Rental has not logged in there yet. Set it up in the kernel picker.'));
  }
}

/** No server of ours runs there, and none was to be started. */
class NoServerError extends UserError {
  constructor() {
    super(text('No Jupyter server is running there.'));
  }
}

/** Starts a server, or finds the one that runs. */
type Begin = (alias: string, signal: AbortSignal) => Promise<StartAnswer>;

interface Connection {
  readonly accountKey: string | undefined;
  readonly server: ServerAddress;
  readonly tunnel: Tunnel;
  kernels: readonly Kernel[];
  /** The last look had no answer, so the known state of the kernels is old. */
  isSilent: boolean;
}

export interface LostConnection {
  readonly alias: string;
  readonly error: HostKeyError;
}

interface Attempt {
  readonly accountKey: string | undefined;
  readonly stop: AbortController;
  readonly work: Promise<ServerAddress>;
}

interface Deps extends Pick<Services, 'accounts' | 'ssh' | 'clock' | 'log' | 'redactor' | 'presence'> {
  /** What cells wait for before they reach their instance; never rejects. */
  readonly before?: (alias: string) => Promise<unknown>;
}

/** Jupyter resolves all known servers repeatedly, so a machine that failed is not tried again for this long (ms). */
const pauseAfterFailureMs = 15_000;
/** How often kernels are read while a tunnel is open (ms). */
const readMs = 30_000;

/** The servers that notebooks of this window use: one tunnel per instance, until the window closes. */
export class NotebookConnections implements Disposable {
  private readonly open = new Map<string, Connection>();
  private readonly underWay = new Map<string, Attempt>();
  private readonly successes = new Map<string, number>();
  private readonly failures = new Map<string, { readonly error: unknown; readonly at: number }>();
  private readonly stop = new AbortController();
  private readonly changed = new Emitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly lost = new Emitter<LostConnection>();
  /** Fires when an open connection is closed because the host key of its instance was refused. */
  readonly onDidLose = this.lost.event;

  constructor(
    private readonly deps: Deps,
    /** How long a server may take to list its kernels (ms); the default if omitted. */
    private readonly patienceMs?: number,
  ) {}

  /** Connects without asking the user. Concurrent callers share one login. */
  connect(alias: string, options: { readonly isAsked?: boolean } = {}): Promise<ServerAddress> {
    const failure = this.failures.get(alias);
    const { clock } = this.deps;
    if (failure && options.isAsked !== true && clock.elapsed() - failure.at < pauseAfterFailureMs) {
      return Promise.reject(
        failure.error instanceof Error ? failure.error : new Error(String(failure.error)),
      );
    }
    const known = this.attemptOn(alias);
    if (known) {
      return known.catch((error: unknown) => {
        if (error instanceof NoServerError) {
          return this.connect(alias, options);
        }
        throw error;
      });
    }
    return this.attempt(alias, this.begin);
  }

  /** Connects to the server if it runs, which starts none, and reads its kernels. */
  async find(alias: string): Promise<readonly Kernel[]> {
    const find: Begin = (host, signal) => findServer(this.deps.ssh, host, signal);
    try {
      await (this.attemptOn(alias) ?? this.attempt(alias, find));
    } catch (error) {
      if (error instanceof NoServerError) {
        return [];
      }
      throw error;
    }
    await this.readKernels(alias);
    return this.kernelsOf(alias) ?? [];
  }

  private attemptOn(alias: string): Promise<ServerAddress> | undefined {
    const known = this.underWay.get(alias);
    return known?.stop.signal.aborted === false ? known.work : undefined;
  }

  private readonly begin: Begin = (alias, signal) => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const local = kernelFolder(folder && basename(folder.uri.path));
    return startServer(this.deps.ssh, alias, local, signal);
  };

  private attempt(alias: string, begin: Begin): Promise<ServerAddress> {
    const accountKey = this.deps.accounts.active?.key;
    const stop = new AbortController();
    const signal = AbortSignal.any([this.stop.signal, stop.signal]);
    const work = this.connectNow(alias, { accountKey, begin, signal })
      .catch((error: unknown) => {
        if (!signal.aborted && !(error instanceof NoServerError)) {
          this.failures.set(alias, { error, at: this.deps.clock.elapsed() });
        }
        throw signal.aborted ? new CancelledError() : error;
      })
      .finally(() => {
        if (this.underWay.get(alias)?.stop === stop) {
          this.underWay.delete(alias);
        }
      });
    this.underWay.set(alias, { accountKey, stop, work });
    return work;
  }

  kernelsOf(alias: string): readonly Kernel[] | undefined {
    return this.open.get(alias)?.kernels;
  }

  /** Returns whether the server did not answer when it was asked last. */
  isSilent(alias: string): boolean {
    return this.open.get(alias)?.isSilent ?? false;
  }

  serverOf(alias: string): ServerAddress | undefined {
    return this.open.get(alias)?.server;
  }

  /** How often a tunnel was opened; a failure after another success is news. */
  timesConnected(alias: string): number {
    return this.successes.get(alias) ?? 0;
  }

  /** Reads the kernels of an open connection. */
  async readKernels(alias: string): Promise<void> {
    const connection = this.open.get(alias);
    if (!connection) {
      return;
    }
    const before = JSON.stringify([connection.kernels, connection.isSilent]);
    try {
      connection.kernels = await kernelsOf(connection.server, this.patienceMs);
      connection.isSilent = false;
    } catch (error) {
      connection.isSilent = true;
      throw error;
    } finally {
      if (JSON.stringify([connection.kernels, connection.isSilent]) !== before) {
        this.reportUse();
      }
    }
  }

  close(alias: string): void {
    this.open.get(alias)?.tunnel.dispose();
    this.open.delete(alias);
    this.reportUse();
  }

  /** Ends connection attempts of accounts that are no longer active; open connections stay. */
  endAttemptsOfOthers(accountKey: string | undefined): void {
    [...this.underWay.values()]
      .filter((attempt) => attempt.accountKey !== accountKey)
      .forEach(({ stop }) => {
        stop.abort();
      });
  }

  /** Closes the connections of an account that signed out. */
  closeAccount(accountKey: string): void {
    [...this.open]
      .filter(([, connection]) => connection.accountKey === accountKey)
      .forEach(([alias]) => this.close(alias));
  }

  dispose(): void {
    this.stop.abort();
    [...this.open.keys()].forEach((alias) => this.close(alias));
    this.changed.dispose();
    this.lost.dispose();
  }

  private async connectNow(
    alias: string,
    {
      accountKey,
      begin,
      signal,
    }: Pick<Attempt, 'accountKey'> & { readonly begin: Begin; readonly signal: AbortSignal },
  ): Promise<ServerAddress> {
    const before = this.open.get(alias);
    if (before?.tunnel.isOpen === true) {
      const answers = await this.readKernels(alias).then(
        () => true,
        () => false,
      );
      if (answers) {
        return before.server;
      }
    }
    const { ssh, redactor } = this.deps;
    if (!(await ssh.entry(alias))) {
      throw new NoLoginYetError();
    }
    const answer = await begin(alias, signal);
    if (answer.kind === 'none') {
      throw new NoServerError();
    }
    if (answer.kind === 'missing') {
      throw new JupyterMissingError(answer.python);
    }
    if (answer.kind === 'noPython') {
      throw new UserError(
        text("This instance has no Python, so it can't run kernels. Open it in a remote window instead."),
      );
    }
    redactor.addSecret(answer.token);
    await before?.tunnel.close();
    const onRefused = (error: HostKeyError) => {
      if (this.open.get(alias)?.tunnel === tunnel) {
        this.failures.set(alias, { error, at: this.deps.clock.elapsed() });
        this.close(alias);
        this.lost.fire({ alias, error });
      }
    };
    const tunnel = await Tunnel.open(
      { ...this.deps, onRefused, before: () => Promise.resolve(this.deps.before?.(alias)) },
      alias,
      { remotePort: answer.port, localPort: before?.server.localPort ?? tunnelPortOf(alias) },
      signal,
    );
    if (signal.aborted) {
      tunnel.dispose();
      throw new CancelledError();
    }
    const { localPort } = tunnel;
    const server = { localPort, token: answer.token, isOpen: () => tunnel.isOpen };
    const connection: Connection = { accountKey, server, tunnel, kernels: [], isSilent: false };
    this.open.set(alias, connection);
    this.successes.set(alias, this.timesConnected(alias) + 1);
    this.failures.delete(alias);
    this.reportUse();
    void this.watch(alias, connection);
    return server;
  }

  private async watch(alias: string, connection: Connection): Promise<void> {
    const { clock, log } = this.deps;
    while (this.open.get(alias) === connection) {
      await this.readKernels(alias).catch((error: unknown) => {
        log.debug(`The kernels of ${alias} could not be read: ${String(error)}`);
      });
      // Another connection may have taken its place during the look.
      if (connection.tunnel.isOver && this.open.get(alias) === connection) {
        this.close(alias);
      }
      await wait(clock, readMs, this.stop.signal).catch((error: unknown) => {
        if (!isCancelled(error)) {
          throw error;
        }
      });
    }
  }

  /**
   * A busy kernel counts as use of its machine; an open tunnel and the earlier answer of a
   * silent server do not: a schedule asks the machine itself before it acts (`isUsedByKernels`).
   */
  private reportUse(): void {
    const busy = [...this.open].filter(
      ([, { kernels, isSilent }]) => !isSilent && kernels.some(({ isBusy }) => isBusy),
    );
    this.deps.presence.set(
      'kernel',
      busy.map(([alias]) => alias),
    );
    this.changed.fire();
  }
}
