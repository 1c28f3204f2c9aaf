import * as vscode from 'vscode';
import {
  commandIds,
  commandSpecs,
  ownIds,
  type AnyCommandId,
  type CommandArgs,
  type CommandResult,
} from '../commandSpecs';
import { readArguments } from '../readArguments';
import { DisposableStore, toDisposable, type Disposable } from '../util/disposable';
import type { Action } from './message';

type Handler<Id extends AnyCommandId> = (
  ...args: CommandArgs<Id>
) => CommandResult<Id> | PromiseLike<CommandResult<Id>>;

/**
 * Contributed commands are registered while the product is still unloaded; the first one that runs
 * loads it. Features put their handlers in here.
 */
export class CommandTable {
  private readonly handlers = new Map<AnyCommandId, (...args: unknown[]) => unknown>();
  /** Those that the editor knows and that are not contributed. */
  private readonly inEditor = new Set<AnyCommandId>();
  private guard: ((id: AnyCommandId) => void) | undefined;

  constructor(private readonly report: (error: unknown, retry: () => unknown) => void) {}

  /** Handles a command; an error is reported once, with a retry where that helps. */
  register<Id extends AnyCommandId>(id: Id, handler: Handler<Id>): Disposable {
    // `run` gives it what the table makes of the arguments from menus, links and other extensions.
    this.handlers.set(id, handler as (...args: unknown[]) => unknown);
    const own = new DisposableStore();
    own.add(toDisposable(() => this.handlers.delete(id)));
    if (!ownIds.has(id) && !(commandIds as readonly string[]).includes(id) && !this.inEditor.has(id)) {
      this.inEditor.add(id);
      own.add(toDisposable(() => this.inEditor.delete(id)));
      own.add(vscode.commands.registerCommand(id, (...args: unknown[]) => this.run(id, args)));
    }
    return own;
  }

  /**
   * Handles the commands that no feature has registered yet. The first one calls `load`, which registers them all; after
   * a failure the next one tries again.
   */
  registerLater(load: () => Promise<void>): Disposable {
    const store = new DisposableStore();
    let loading: Promise<void> | undefined;
    const loaded = () =>
      (loading ??= load().catch((error: unknown) => {
        loading = undefined;
        throw error;
      }));
    for (const id of Object.keys(commandSpecs) as AnyCommandId[]) {
      if (!this.handlers.has(id)) {
        const later = async (...args: unknown[]) => {
          await loaded();
          const handler = this.handlers.get(id);
          if (!handler || handler === later) {
            throw new Error(`No handler for ${id}`);
          }
          return handler(...args);
        };
        store.add(this.register(id, later as Handler<AnyCommandId>));
      }
    }
    return store;
  }

  /** Called before each command; throws where it cannot succeed, with the reason. */
  setGuard(guard: (id: AnyCommandId) => void): Disposable {
    this.guard = guard;
    return toDisposable(() => {
      this.guard = undefined;
    });
  }

  async run(id: AnyCommandId, args: readonly unknown[]): Promise<unknown> {
    try {
      const handler = this.handlers.get(id);
      if (!handler) {
        throw new Error(`No handler for ${id}`);
      }
      this.guard?.(id);
      return await handler(...readArguments(id, args));
    } catch (error) {
      this.report(error, () => this.run(id, args));
      return undefined;
    }
  }
}

let ownTable: CommandTable | undefined;

/** Called once, by the place that makes the services: commands that the editor does not know run from this table. */
export function runOwnCommandsFrom(table: CommandTable): void {
  ownTable = table;
}

/** The active account, after signing in where there is none; `undefined` where the user did not. */
export async function signedIn<Account>(accounts: {
  readonly active: Account | undefined;
}): Promise<Account | undefined> {
  if (!accounts.active) {
    await runCommand('gpuRental.signIn');
  }
  return accounts.active;
}

/** The row that a command was called on, then the selected ones. */
export function allRows<Row>(target: Row | undefined, selected: readonly Row[] = []): readonly Row[] {
  return target ? [target, ...selected] : selected;
}

/** A button that runs a command of ours. */
export function commandAction<Id extends AnyCommandId>(
  label: string,
  id: Id,
  ...args: CommandArgs<Id>
): Action {
  return { label, run: () => runCommand(id, ...args) };
}

/** Runs a command of ours by id with plain data; wrong ids and arguments do not compile. One that fails gives nothing. */
export function runCommand<Id extends AnyCommandId>(
  id: Id,
  ...args: CommandArgs<Id>
): Thenable<CommandResult<Id> | undefined> {
  if (ownIds.has(id)) {
    return (ownTable?.run(id, args) ?? Promise.resolve(undefined)) as Promise<CommandResult<Id> | undefined>;
  }
  return vscode.commands.executeCommand<CommandResult<Id> | undefined>(id, ...args);
}
