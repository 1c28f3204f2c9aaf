import { readdir } from 'node:fs/promises';
import * as vscode from 'vscode';
import * as z from 'zod';
import type { Services } from './services';
import { channel } from './shared/channel';
import { followAccount } from './shared/followAccount';
import { accountPath } from './store/accounts/accountFiles';
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
  /** The folder of an account that has something in it while the wing has work. */
  readonly stored: string;
  /** The end of the path of its documents. */
  readonly document: string;
  readonly load: () => Promise<Wing>;
}

/** Where one window has a wing, all have it: any of them may have to do the work. */
const started = channel('wings.started', z.object({ name: z.string() }));
const asked = channel('wings.asked', z.object({ name: z.string() }));

/** Starts wings in their order, without those that lack what they need. */
export function startWings(wings: readonly (Wing | LaterWing)[], services: Services, own: Own): void {
  const names = new Set<string>();
  let all = services;
  const start = (wing: Wing) => {
    all = { ...all, ...wing.start(all, own) };
  };
  for (const wing of wings) {
    if ((wing.needs ?? []).every((one) => names.has(one))) {
      names.add(wing.name);
      if ('start' in wing) {
        start(wing);
      } else {
        startLater(wing, services, own, start);
      }
    }
  }
}

function startLater(
  { name, stored, document, load }: LaterWing,
  { accounts, commands, hub, log, storageDir, work }: Services,
  own: Own,
  start: (wing: Wing) => void,
): void {
  let starting: Promise<void> | undefined;
  const begin = () =>
    (starting ??= load().then(
      (wing) => {
        start(wing);
        started.send(hub, { name });
      },
      (error: unknown) => {
        starting = undefined;
        throw error;
      },
    ));
  const quietly = (action: () => Promise<void>) => {
    action().catch((error: unknown) => {
      log.error(`${name} could not be started`, error);
    });
  };
  const looked = own(new Emitter<void>());
  let looks = 0;
  const lookAtDisk = async () => {
    const { active } = accounts;
    if (starting) {
      return;
    }
    looks += 1;
    asked.send(hub, { name });
    try {
      if (active && (await hasWork(accountPath(storageDir, active.key, stored)))) {
        await begin();
      }
    } finally {
      looks -= 1;
      looked.fire();
    }
  };
  const look = () => quietly(lookAtDisk);
  own(commands.registerLater((feature) => feature === name, begin));
  own(
    work.addLater(() =>
      begin().then(
        () => true,
        (error: unknown) => {
          log.error(`${name} could not be started`, error);
          return false;
        },
      ),
    ),
  );
  own(work.add({ isPending: () => (looks > 0 ? undefined : false), onDidChange: looked.event }));
  own(asked.on(hub, (message) => message.name === name && starting && started.send(hub, { name })));
  own(started.on(hub, (message) => message.name === name && quietly(begin)));
  own(
    followAccount(accounts, () => {
      look();
      return undefined;
    }),
  );
  own(hub.onDidChangeLeader(look));
  const isFor = ({ uri }: vscode.TextDocument) => uri.path.endsWith(document);
  own(vscode.workspace.onDidOpenTextDocument((one) => isFor(one) && quietly(begin)));
  if (vscode.workspace.textDocuments.some(isFor)) {
    quietly(begin);
  }
}

/** Where the disk refuses, the wing says so itself. */
async function hasWork(folder: string): Promise<boolean> {
  const names = await ifPresent(readdir(folder)).catch(() => ['?']);
  return (names ?? []).length > 0;
}
