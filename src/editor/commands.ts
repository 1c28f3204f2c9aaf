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
import { actAs, currentActor } from '../util/acting';
import { DisposableStore, toDisposable, type Disposable } from '../util/disposable';
import type { Action } from './message';
import { labelOf } from './titles';
import { windowParts } from './windowParts';

type Handler<Id extends AnyCommandId> = (
  ...args: CommandArgs<Id>
) => CommandResult<Id> | PromiseLike<CommandResult<Id>>;

/**
 * The handlers of commands. Contributed commands are registered before the product loads, and the first one that runs
 * loads it; features then add their handlers here.
 */
export class CommandTable {
  private readonly handlers = new Map<AnyCommandId, (...args: unknown[]) => unknown>();
  /** Commands that are registered in the editor and not contributed. */
  private readonly inEditor = new Set<AnyCommandId>();
  private guard: ((id: AnyCommandId) => void) | undefined;

  constructor(private readonly report: (error: unknown, retry: () => unknown) => void) {}

  /** Adds a handler. Its error is reported once, with *Retry* if that can help. */
  register<Id extends AnyCommandId>(id: Id, handler: Handler<Id>): Disposable {
    // `run` passes arguments that were checked against the table, from menus, links and other extensions.
    this.handlers.set(id, handler as unknown as (...args: unknown[]) => unknown);
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
   * Handles the commands of these features that have no handler: the first one calls `load`, which registers all of
   * them. After a failure, the next command tries again.
   */
  registerLater(isOne: (feature: string) => boolean, load: () => Promise<void>): Disposable {
    const store = new DisposableStore();
    let loading: Promise<void> | undefined;
    const loaded = () =>
      (loading ??= load().catch((error: unknown) => {
        loading = undefined;
        throw error;
      }));
    for (const id of Object.keys(commandSpecs) as AnyCommandId[]) {
      if (isOne(commandSpecs[id].feature) && !this.handlers.has(id)) {
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

  /** Sets a function that runs before each command and throws the reason if the command can't succeed. */
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
      const command = { kind: 'command', name: id } as const;
      // A command without a title is a step of one that the user chose.
      const actor = ownIds.has(id) ? (currentActor() ?? command) : command;
      return await actAs(actor, () => handler(...readArguments(id, args)));
    } catch (error) {
      this.report(error, () => this.run(id, args));
      return undefined;
    }
  }
}

/** Returns the active account; without one, offers sign-in first. Returns `undefined` if the user cancels. */
export async function signedIn<Account>(accounts: {
  readonly active: Account | undefined;
}): Promise<Account | undefined> {
  if (!accounts.active) {
    await runCommand('gpuRental.signIn');
  }
  return accounts.active;
}

/** Returns the row of the command, then the selected rows. */
export function allRows<Row>(target: Row | undefined, selected: readonly Row[] = []): readonly Row[] {
  return target ? [target, ...selected] : selected;
}

/** Returns a button that runs one of our commands. */
export function commandAction<Id extends AnyCommandId>(
  label: string,
  id: Id,
  ...args: CommandArgs<Id>
): Action {
  return { label, run: () => runCommand(id, ...args) };
}

/** Returns a button with the title of the command. */
export function titledAction<Id extends AnyCommandId>(id: Id, ...args: CommandArgs<Id>): Action {
  return commandAction(labelOf(id), id, ...args);
}

/**
 * Runs one of our commands with plain data; wrong ids and arguments do not compile. Returns `undefined` if the command
 * fails.
 */
export function runCommand<Id extends AnyCommandId>(
  id: Id,
  ...args: CommandArgs<Id>
): Thenable<CommandResult<Id> | undefined> {
  if (ownIds.has(id)) {
    return Promise.resolve(windowParts().commands?.run(id, args)) as Promise<CommandResult<Id> | undefined>;
  }
  return vscode.commands.executeCommand<CommandResult<Id> | undefined>(id, ...args);
}
