import * as z from 'zod';
import { mostRecents, remember, type TemplateRef } from '../../model/templates/templateRef';
import { channel } from '../../shared/channel';
import { followAccount } from '../../shared/followAccount';
import { defined } from '../../util/defined';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import type { Log } from '../../util/log';
import { NextRead } from '../../util/nextRead';
import type { Accounts } from '../accounts/accounts';
import type { WindowHub } from '../windows/windowHub';
import type { TemplatesOfAccount, TemplateStorage } from './templateStorage';

interface Deps {
  readonly accounts: Accounts;
  readonly hub: WindowHub;
  readonly memory: TemplateStorage;
  readonly log: Log;
}

interface Refs {
  readonly favourites: readonly TemplateRef[];
  readonly recents: readonly TemplateRef[];
}

const mostFavourites = 200;
const changes = channel('templates.refs', z.string());
const none: Refs = { favourites: [], recents: [] };

/** The favorite and recent templates of the active account, the same in all windows. */
export class TemplateRefs implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<'recents' | 'all'>());
  /** Fires with `recents` if only their order changed. */
  readonly onDidChange = this.changed.event;
  private refs = none;
  /** False until a view shows the lists, so that nothing is read before. */
  private isShown = false;
  private readonly reads = new NextRead(() => this.read());

  constructor(private readonly deps: Deps) {
    const reload = () => {
      if (this.isShown) {
        this.show();
      }
    };
    this.store.add(
      followAccount(deps.accounts, () => {
        reload();
      }),
    );
    this.store.add(changes.on(deps.hub, reload));
  }

  get favourites(): readonly TemplateRef[] {
    return this.refs.favourites;
  }

  get recents(): readonly TemplateRef[] {
    return this.refs.recents;
  }

  /** Reads the lists, and from now on follows the account and the other windows. */
  show(): void {
    this.isShown = true;
    void this.reads.ask().catch((error: unknown) => {
      this.deps.log.warn(`Favourite templates could not be read: ${String(error)}`);
    });
  }

  /** Returns what an account's list remembers of a template, also for an inactive account. */
  async find(accountKey: string, list: keyof Refs, id: number): Promise<TemplateRef | undefined> {
    return read(await this.deps.memory.account(accountKey))[list].find((ref) => ref.id === id);
  }

  async setFavourite(accountKey: string, ref: TemplateRef, isFavourite: boolean): Promise<void> {
    await this.change(accountKey, ({ favourites, ...others }) => ({
      ...others,
      favourites: isFavourite
        ? remember(favourites, ref, mostFavourites)
        : favourites.filter(({ id }) => id !== ref.id),
    }));
  }

  /** Notes that a template was opened or rented from; the caller knows its current record. */
  async noteUse(accountKey: string, ref: TemplateRef): Promise<void> {
    await this.change(accountKey, ({ favourites, recents }) => ({
      recents: remember(recents, ref, mostRecents),
      favourites: favourites.map((one) => (one.id === ref.id ? ref : one)),
    }));
  }

  /** Puts a template that was created again in the place of the deleted one. */
  async noteRecreated(accountKey: string, from: number, to: number): Promise<void> {
    const put = (refs: readonly TemplateRef[]) =>
      refs.some(({ id }) => id === to)
        ? refs.filter(({ id }) => id !== from)
        : refs.map(({ hash, ...ref }) =>
            ref.id === from ? { ...ref, id: to } : { ...ref, ...(hash === undefined ? {} : { hash }) },
          );
    await this.change(accountKey, ({ favourites, recents }) => ({
      favourites: put(favourites),
      recents: put(recents),
    }));
  }

  dispose(): void {
    this.store.dispose();
  }

  private async change(accountKey: string, change: (refs: Refs) => Refs): Promise<void> {
    await this.deps.memory.change(accountKey, (memory) => {
      const { favourites, recents } = change(read(memory));
      return { ...memory, favourites: [...favourites], recents: [...recents] };
    });
    changes.send(this.deps.hub, accountKey);
    if (this.isShown) {
      await this.reads.ask();
    }
  }

  private async read(): Promise<void> {
    const key = this.deps.accounts.active?.key;
    const now = key === undefined ? none : read(await this.deps.memory.account(key));
    if (this.deps.accounts.active?.key !== key) {
      // The lists are read again for the other account.
      return;
    }
    const before = this.refs;
    this.refs = now;
    const isOther = !isSame(before.favourites, now.favourites);
    if (isOther || (before.recents.length === 0) !== (now.recents.length === 0)) {
      this.changed.fire('all');
    } else if (!isSame(before.recents, now.recents)) {
      // Hundreds of other rows must not be rebuilt whenever a document is opened.
      this.changed.fire('recents');
    }
  }
}

function isSame(one: readonly TemplateRef[], other: readonly TemplateRef[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function read({ favourites, recents }: Pick<TemplatesOfAccount, 'favourites' | 'recents'>): Refs {
  return { favourites: favourites.map(clean), recents: recents.map(clean) };
}

function clean({ id, name, hash }: TemplatesOfAccount['recents'][number]): TemplateRef {
  return defined<TemplateRef>({ id, name, hash });
}
