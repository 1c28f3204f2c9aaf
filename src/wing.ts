import { readdir } from 'node:fs/promises';
import * as vscode from 'vscode';
import * as z from 'zod';
import type { Services } from './services';
import { channel } from './shared/channel';
import { followAccount } from './shared/followAccount';
import { accountPath, accountsWith } from './store/accounts/accountFiles';
import type { Disposable } from './util/disposable';
import { Emitter } from './util/emitter';
import { ifPresent } from './util/missing';

/** Hands something over that ends with the product. */
export type Own = <T extends Disposable>(item: T) => T;

/** A part of the product that the core does not know. */
export interface Wing {
  readonly name: string;
  /** The wings without which it does not start. */
  readonly needs?: readonly string[];
  /** Makes what it keeps and registers its features. Returns its services, which the wings that need it know. */
  start(services: Services, own: Own): object;
}

/** A wing whose code is read when it is first used: by a command, a document, or work on disk. */
export interface LaterWing extends Omit<Wing, 'start'> {
  /** The folder of each account that has something in it while the wing has work; absent if another wing tells it. */
  readonly stored?: string;
  /** The end of the path of its documents. */
  readonly document?: string;
  /** Calls `begin` when something else needs the wing; it returns false after a failure, which it logs. */
  readonly watch?: (services: Services, begin: () => Promise<boolean>, own: Own) => void;
  readonly load: () => Promise<Wing>;
}

/** Where one window has a wing, all have it: any of them may have to do the work. */
const started = channel('wings.started', z.object({ name: z.string() }));
const asked = channel('wings.asked', z.object({ name: z.string() }));

/** Starts wings in their order, without those that lack what they need. */
export function startWings(wings: readonly (Wing | LaterWing)[], services: Services, own: Own): void {
  const begins = new Map<string, () => Promise<void>>();
  let all = services;
  const start = (wing: Wing) => {
    all = { ...all, ...wing.start(all, own) };
  };
  for (const wing of wings) {
    const names = wing.needs ?? [];
    const needs = names.flatMap((name) => begins.get(name) ?? []);
    if (needs.length < names.length) {
      continue;
    }
    if ('start' in wing) {
      start(wing);
      begins.set(wing.name, () => Promise.resolve());
    } else {
      const load = async () => {
        await Promise.all(needs.map((begin) => begin()));
        start(await wing.load());
      };
      begins.set(wing.name, startLater(wing, services, own, load));
    }
  }
}

/** Returns what starts the wing at once. */
function startLater(
  { name, stored, document, watch }: LaterWing,
  services: Services,
  own: Own,
  load: () => Promise<void>,
): () => Promise<void> {
  const { accounts, commands, fleet, hub, log, storageDir, work } = services;
  let starting: Promise<void> | undefined;
  const changed = own(new Emitter<void>());
  let busy = 0;
  const whileBusy = async (action: () => Promise<void>) => {
    busy += 1;
    try {
      await action();
    } finally {
      busy -= 1;
      changed.fire();
    }
  };
  const begin = () =>
    (starting ??= whileBusy(load).then(
      () => {
        started.send(hub, { name });
      },
      (error: unknown) => {
        starting = undefined;
        throw error;
      },
    ));
  const isThere = (action: () => Promise<void>) =>
    action().then(
      () => true,
      (error: unknown) => {
        log.error(`${name} could not be started`, error);
        return false;
      },
    );
  const beginQuietly = () => isThere(begin);
  const beginForWork = async () =>
    stored !== undefined && (await hasWork(storageDir, stored)) ? begin() : undefined;
  const check = () => {
    if (!starting) {
      asked.send(hub, { name });
      void isThere(() => whileBusy(beginForWork));
    }
  };
  const checkDisk = () => {
    if (!starting) {
      void isThere(beginForWork);
    }
  };
  own(commands.registerLater((feature) => feature === name, begin));
  own(work.addLater(beginQuietly));
  own(work.add({ isPending: () => (busy > 0 ? undefined : false), onDidChange: changed.event }));
  own(asked.on(hub, (message) => message.name === name && starting && started.send(hub, { name })));
  own(started.on(hub, (message) => message.name === name && void beginQuietly()));
  own(
    followAccount(accounts, () => {
      check();
      return undefined;
    }),
  );
  own(hub.onDidChangeLeader(check));
  // A window that hung has not heard of the other windows, which may be gone by now.
  own(hub.onDidChangePeers(checkDisk));
  own(fleet.onDidChange(checkDisk));
  if (document !== undefined) {
    const isFor = ({ uri }: vscode.TextDocument) => uri.path.endsWith(document);
    own(vscode.workspace.onDidOpenTextDocument((one) => isFor(one) && void beginQuietly()));
    if (vscode.workspace.textDocuments.some(isFor)) {
      void beginQuietly();
    }
  }
  watch?.(services, beginQuietly, own);
  return begin;
}

/** If the disk refuses, the wing starts and reports that. */
async function hasWork(storageDir: string, stored: string): Promise<boolean> {
  try {
    const keys = await accountsWith(storageDir, stored);
    const names = keys.map((key) => ifPresent(readdir(accountPath(storageDir, key, stored))));
    return (await Promise.all(names)).flat().some((name) => name !== undefined);
  } catch {
    return true;
  }
}
