import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { MirroredFileTarget, MirrorTarget } from '../../commandSpecs';
import { allRows } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { withCancellableProgress } from '../../editor/progress';
import type { FolderTarget } from '../../model/instances/heldInstance';
import { instanceName } from '../../model/instances/instanceLabel';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';
import { ifPresent } from '../../util/missing';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import { joinRaw, rawOf, wordsOf } from '../machine/rawPath';
import type { FolderMirror, LeftHere } from '../model/mirror';
import type { Services } from '../services';
import { CarriedMirrors } from './carriedMirrors';
import { DebugFiles } from './debugFiles';
import { fileUri, type FileDocuments } from './fileDocuments';
import { nameBelow } from './folderWatch';
import { review, MirrorNews } from './mirrorNews';
import { MirrorRows } from './mirrorRows';
import { namesText } from './mirrorText';
import { beginMirror, mirrorOf, startMirror, unsavedIn, type StartDeps } from './startMirror';

export type MirrorUiDeps = Pick<
  Services,
  'accounts' | 'clock' | 'commands' | 'fleet' | 'instanceGroups' | 'log' | 'mirrors' | 'ssh' | 'windowInUse'
>;

type Deps = MirrorUiDeps & { readonly documents: Pick<FileDocuments, 'reread'> };

/** Folders of this computer that are mirrored to instances: their rows, commands and messages. */
export function registerMirrors(deps: Deps): Disposable {
  const store = new DisposableStore();
  const { clock, commands, instanceGroups, mirrors } = deps;
  const carried = store.add(new CarriedMirrors(deps));
  const acts = new MirrorActs(deps, carried);
  const nameOf = (mirror: FolderMirror) => acts.nameOf(mirror);
  const find = (target: MirrorTarget | undefined) => acts.find(target);
  store.add(instanceGroups.addInstanceRows(new MirrorRows(carried, clock)));
  store.add(new MirrorNews({ ...deps, carried, nameOf }));
  const debugFiles = store.add(new DebugFiles({ ...acts.startDeps, ssh: deps.ssh }));
  store.add(commands.register('gpuRental.debugFile', (target) => debugFiles.debug(target)));

  store.add(commands.register('gpuRental.mirror.start', (end) => startMirror(acts.startDeps, end)));
  store.add(
    commands.register('gpuRental.mirror.stop', async (target) => {
      await mirrors.end(find(target).folder);
    }),
  );
  store.add(
    commands.register('gpuRental.mirror.compare', async (target) => {
      const mirror = find(target);
      const title = t('Comparing with {0}', nameOf(mirror));
      await withCancellableProgress(title, (signal) => mirror.settle(signal));
    }),
  );
  store.add(commands.register('gpuRental.mirror.fetch', (one, all) => acts.fetch(acts.filesOf(one, all))));
  store.add(
    commands.register('gpuRental.mirror.fetchAll', (target) => {
      const mirror = find(target);
      const changed = mirror.status.differing.filter(
        ({ change }) => change === 'new' || change === 'changed',
      );
      return acts.fetch(new Map([[mirror, changed.map(({ name }) => name)]]));
    }),
  );
  store.add(
    commands.register('gpuRental.mirror.keepMine', (one, all) => acts.keep(acts.filesOf(one, all), 'here')),
  );
  store.add(
    commands.register('gpuRental.mirror.keepTheirs', (one, all) =>
      acts.keep(acts.filesOf(one, all), 'instance'),
    ),
  );
  store.add(commands.register('gpuRental.mirror.showDifference', (file) => acts.showDifference(file)));
  store.add(
    commands.register('gpuRental.mirror.review', async (target) => {
      const mirror = find(target);
      await review(mirror, nameOf(mirror));
    }),
  );
  store.add(commands.register('gpuRental.mirror.placeOf', (target) => acts.placeOf(target)));
  store.add(commands.register('gpuRental.mirror.begin', (target) => acts.begin(target)));
  store.add(
    commands.register('gpuRental.mirror.settle', ({ instanceId }) => carried.sendWaiting(instanceId)),
  );
  return store;
}

type Files = ReadonlyMap<FolderMirror, readonly string[]>;

/** What the commands of rows do. */
class MirrorActs {
  readonly startDeps: StartDeps;

  constructor(
    private readonly deps: Deps,
    private readonly carried: CarriedMirrors,
  ) {
    this.startDeps = { ...deps, carried: () => carried.settled() };
  }

  find(target: MirrorTarget | undefined): FolderMirror {
    const mirror = target && this.carried.find(target.mirrorKey);
    if (!mirror) {
      throw new UserError(text('This folder is no longer mirrored.'));
    }
    return mirror;
  }

  nameOf({ folder: { instanceId } }: FolderMirror): string {
    const instance = this.deps.fleet.find(instanceId);
    return instance ? plainLabel(instanceName(instance)) : `#${instanceId}`;
  }

  /** Returns the names of the selected rows, by their mirrors. */
  filesOf(one: MirroredFileTarget | undefined, all: readonly MirroredFileTarget[] | undefined): Files {
    const files = new Map<FolderMirror, string[]>();
    const rows = allRows(one, all);
    for (const file of rows.length === 0 ? [undefined] : rows) {
      const mirror = this.find(file);
      const names = new Set(files.get(mirror)).add(file?.mirroredFile ?? '');
      files.set(mirror, [...names]);
    }
    return files;
  }

  async fetch(files: Files): Promise<void> {
    for (const [mirror, all] of files) {
      const names = this.withoutUnsaved(mirror, all);
      if (names.length > 0) {
        const title = t('Fetching from {0}', this.nameOf(mirror));
        reportLeftOut(await withCancellableProgress(title, (signal) => mirror.fetch(names, signal)));
      }
    }
  }

  async keep(files: Files, side: 'here' | 'instance'): Promise<void> {
    for (const [mirror, all] of files) {
      const names = side === 'instance' ? this.withoutUnsaved(mirror, all) : all;
      if (names.length > 0) {
        const title = t('Comparing with {0}', this.nameOf(mirror));
        await withCancellableProgress(title, (signal) => mirror.keep(names, side, signal));
      }
    }
  }

  async showDifference({ mirrorKey, mirroredFile: name }: MirroredFileTarget): Promise<void> {
    const account = this.deps.accounts.active;
    const mirror = this.carried.find(mirrorKey);
    const path = mirror?.remote === undefined ? undefined : wordsOf(joinRaw(mirror.remote, rawOf(name)));
    const change = mirror?.status.differing.find((one) => one.name === name)?.change;
    if (!account || !mirror || path === undefined || change === undefined) {
      return;
    }
    const { instanceId, local } = mirror.folder;
    const there = fileUri(this.deps.ssh.aliasOf(account, instanceId), path);
    this.deps.documents.reread(there);
    const here = vscode.Uri.file(join(local, ...name.split('/')));
    if (change === 'new' || change === 'gone') {
      await vscode.commands.executeCommand('vscode.open', change === 'new' ? there : here);
    } else {
      const title = t('{0}: {1} ↔ this computer', plainLabel(name), this.nameOf(mirror));
      await vscode.commands.executeCommand('vscode.diff', there, here, title);
    }
  }

  /** Mirrors a folder after a question, unless a mirror has it, and returns its place. */
  async begin(target: FolderTarget): Promise<string | undefined> {
    const known = await this.placeOf(target);
    // What a file of a project needs may be anywhere in the project.
    const whole = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(target.folder))?.uri.fsPath;
    const folder = whole ?? target.folder;
    const isBegun = known === undefined && (await beginMirror(this.startDeps, { ...target, folder }));
    return isBegun ? this.placeOf(target) : known;
  }

  /** Returns where an instance has a folder, in words; undefined if it has none, or a name that is not UTF-8. */
  async placeOf({ instanceId, folder }: FolderTarget): Promise<string | undefined> {
    const { mirrors } = this.deps;
    await mirrors.ready;
    const local = await ifPresent(realpath(folder));
    const mirror = local === undefined ? undefined : mirrorOf(mirrors, instanceId, local);
    if (mirror && mirror.remote === undefined) {
      await firstContact(mirror);
    }
    if (local === undefined || mirror?.remote === undefined) {
      return undefined;
    }
    const below = nameBelow(mirror.folder.local, vscode.Uri.file(local));
    return wordsOf(below === undefined ? mirror.remote : joinRaw(mirror.remote, rawOf(below)));
  }

  /** What is not saved in an editor is an edit of the user as well. */
  private withoutUnsaved({ folder }: FolderMirror, names: readonly string[]): readonly string[] {
    const unsaved = new Set(this.carried.pathsTo(folder).flatMap(unsavedIn));
    const open = names.filter((name) => unsaved.has(name));
    if (open.length > 0) {
      message('warning', t('Not fetched, because they have unsaved changes here: {0}.', namesText(open)));
    }
    return names.filter((name) => !unsaved.has(name));
  }
}

/** Resolves once the place of a mirror is known, or can't be; what is sent then may take long. */
export async function firstContact(mirror: FolderMirror): Promise<void> {
  const settled = mirror.settle().catch(() => undefined);
  await new Promise<void>((resolve) => {
    const subscription = mirror.onDidChange(() => {
      if (mirror.remote !== undefined) {
        resolve();
      }
    });
    void settled.then(() => resolve());
    void settled.then(() => subscription.dispose());
  });
}

function reportLeftOut(leftOut: readonly LeftHere[]): void {
  if (leftOut.length > 0) {
    const named = leftOut.map(({ name, why }) => `${name} (${localize(why)})`);
    message('warning', t('Left out: {0}', namesText(named)));
  }
}
