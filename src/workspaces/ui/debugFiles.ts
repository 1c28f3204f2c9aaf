import { realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import * as vscode from 'vscode';
import type { DebugTarget } from '../../commandSpecs';
import { chooseInstance } from '../../editor/chooseInstance';
import { t } from '../../editor/localize';
import { message, suggest } from '../../editor/message';
import { openNamedDocument } from '../../editor/namedDocument';
import { whileReadingInstances, withCancellableProgress } from '../../editor/progress';
import { instanceName } from '../../model/instances/instanceLabel';
import { scriptNeeds } from '../../model/workspace/scriptNeeds';
import { accountFor } from '../../store/accounts/sameAccount';
import { connectableInstances } from '../../store/instances/listed';
import { DisposableStore, toDisposable, type Disposable } from '../../util/disposable';
import { UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import { startDebugged, type Debugged, type DebuggedFile } from '../machine/debugProgram';
import { wordsOf } from '../machine/rawPath';
import type { FolderMirror } from '../model/mirror';
import type { Services } from '../services';
import { isBelow } from './carriedMirrors';
import { nameBelow } from './folderWatch';
import { namesText } from './mirrorText';
import { offerInstall } from './offerInstall';
import { beginMirror, unsavedIn, type StartDeps } from './startMirror';

type Deps = StartDeps & Pick<Services, 'ssh'>;

/** How many ports are tried; a machine could call each of them taken. */
const mostTries = 3;

const debuggerId = 'ms-python.debugpy';
/** In the configuration of a session of ours. */
const mark = 'gpuRentalSession';

/** Lines of other files are not shown in the debugger. */
const isMapped = (name: string) => /\.pyw?$/i.test(name);

/** Debugs files of mirrored folders on instances, with the Python debugger of this editor. */
export class DebugFiles implements Disposable {
  private readonly store = new DisposableStore();
  private readonly running = new Map<string, Debugged>();

  constructor(private readonly deps: Deps) {
    this.store.add(
      vscode.debug.onDidTerminateDebugSession(({ configuration, parentSession }) => {
        const key: unknown = configuration[mark];
        if (typeof key === 'string' && parentSession === undefined) {
          this.close(key);
        }
      }),
    );
    this.store.add(
      toDisposable(() => {
        [...this.running.keys()].forEach((key) => {
          this.close(key);
        });
      }),
    );
  }

  async debug(target: DebugTarget | undefined): Promise<void> {
    const uri = target?.uri ?? vscode.window.activeTextEditor?.document.uri;
    if (!uri) {
      message('info', t('Open the file that you want to run.'));
    }
    if (!uri || !(await hasDebugger())) {
      return;
    }
    const document = await openNamedDocument(uri);
    const path = document.uri.fsPath;
    const needs = scriptNeeds(basename(path), document.getText());
    const account = accountFor(this.deps.accounts);
    const mirror = document.uri.scheme === 'file' ? await this.mirrorFor(path) : undefined;
    const file = mirror && nameBelow(mirror.folder.local, vscode.Uri.file(await realpath(path)));
    if (!mirror || file === undefined) {
      return;
    }
    const root = mirror.remote === undefined ? undefined : wordsOf(mirror.remote);
    const where = this.nameOf(mirror.folder.instanceId);
    // As the editor names it, which may be through a link.
    const end = join(sep, ...file.split('/'));
    const opened = path.endsWith(end) ? path.slice(0, -end.length) : mirror.folder.local;
    checkInStep(mirror, opened, where);
    if (root === undefined) {
      throw new UserError(text('The name of this folder on the instance is not UTF-8.'));
    }
    const alias = this.deps.ssh.aliasOf(account(), mirror.folder.instanceId);
    const program = await this.start(alias, where, { root, file, args: target?.args ?? [], needs });
    if (program?.said.kind === 'waits') {
      const localRoots = [...new Set([opened, mirror.folder.local])];
      const remoteRoot = program.said.root;
      const key = `${program.localPort}`;
      this.running.set(key, program);
      try {
        account();
        await this.attach(document.uri, key, program, where, {
          name: `${plainLabel(basename(path))} · ${where}`,
          pathMappings: localRoots.map((localRoot) => ({ localRoot, remoteRoot })),
          justMyCode: target?.justMyCode ?? true,
        });
      } catch (error) {
        // It would wait for an editor, and keep its instance in use.
        this.close(key);
        throw error;
      }
    }
  }

  dispose(): void {
    this.store.dispose();
  }

  /** Mirrors the folder of a file first, unless a mirror has it; returns it in step as far as it can be. */
  private async mirrorFor(path: string): Promise<FolderMirror | undefined> {
    const { accounts, fleet, mirrors } = this.deps;
    const account = accountFor(accounts);
    const local = await realpath(path);
    await mirrors.ready;
    const ids = mirrors.all.flatMap(({ folder }) => (isBelow(folder.local, local) ? folder.instanceId : []));
    const known = [...new Set(ids)].flatMap((id) => fleet.find(id) ?? []);
    const instanceId = await chooseInstance(
      undefined,
      known.length > 0 ? known : () => connectableInstances(this.deps, whileReadingInstances),
      'gpuRental.debugFile',
    );
    const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path))?.uri.fsPath ?? dirname(path);
    return instanceId === undefined
      ? undefined
      : beginMirror(this.deps, { accountKey: account().key, instanceId, folder });
  }

  private async start(
    alias: string,
    where: string,
    file: DebuggedFile,
    tries = mostTries,
  ): Promise<Debugged | undefined> {
    const { ssh } = this.deps;
    const program = await withCancellableProgress(t('Starting {0} on {1}', file.file, where), (signal) =>
      startDebugged(ssh, alias, file, signal),
    );
    const lacks = { missing: 'debugpy', noUv: 'uv' };
    const { kind } = program.said;
    if (kind === 'waits') {
      return program;
    }
    program.close();
    switch (kind) {
      case 'missing':
      case 'noUv':
        return (await offerInstall(ssh, alias, { name: lacks[kind], where }))
          ? this.start(alias, where, file)
          : undefined;
      case 'noPython':
        throw new UserError(text('{0} has no Python.', where));
      case 'noFile':
        throw new UserError(
          text('{0} is not on {1}. The rules of its folder keep it here.', file.file, where),
        );
      case 'taken':
        if (tries <= 1) {
          throw new UserError(text('{0} has no free port for the debugger.', where), { nextStep: 'retry' });
        }
        return this.start(alias, where, file, tries - 1);
    }
  }

  /** Starts a session, with which the program ends. */
  private async attach(
    uri: vscode.Uri,
    key: string,
    program: Debugged,
    where: string,
    configuration: Pick<vscode.DebugConfiguration, 'name'> & Readonly<Record<string, unknown>>,
  ): Promise<void> {
    let hasEnded = false;
    void program.ended.then(() => (hasEnded = true));
    void program.cut.then(() => {
      if (!hasEnded && this.running.has(key)) {
        message(
          'warning',
          t(
            'The connection to {0} was lost. The program that you debug ends once the instance notices.',
            where,
          ),
        );
      }
      this.close(key);
    });
    const isStarted = await vscode.debug.startDebugging(vscode.workspace.getWorkspaceFolder(uri), {
      ...{ type: 'debugpy', request: 'attach', redirectOutput: true, subProcess: true },
      ...configuration,
      connect: { host: '127.0.0.1', port: program.localPort },
      [mark]: key,
    });
    if (!isStarted) {
      this.close(key);
    }
  }

  private close(key: string): void {
    const program = this.running.get(key);
    this.running.delete(key);
    program?.close();
  }

  private nameOf(instanceId: number): string {
    const instance = this.deps.fleet.find(instanceId);
    return instance ? plainLabel(instanceName(instance)) : `#${instanceId}`;
  }
}

/** Lines of a file that differs here would be those of another program. */
function checkInStep({ status }: FolderMirror, opened: string, where: string): void {
  const unsaved = unsavedIn(opened).filter(isMapped);
  if (unsaved.length > 0) {
    throw new UserError(text('Save these files before you debug them: {0}', namesText(unsaved)));
  }
  const differing = status.differing.filter(({ name, change }) => change !== 'new' && isMapped(name));
  if (differing.length > 0) {
    const names = namesText(differing.map(({ name }) => name));
    throw new UserError(text('These files differ on {0}, so lines would not fit: {1}', where, names));
  }
  if (status.waiting > 0 || status.question) {
    throw new UserError(
      text('Not all files are on {0} yet. Answer what its mirror asks, then try again.', where),
    );
  }
}

async function hasDebugger(): Promise<boolean> {
  if (vscode.extensions.getExtension(debuggerId)) {
    return true;
  }
  await suggest('info', t('Files are debugged with the Python Debugger extension, which is not installed.'), {
    label: t('Install'),
    run: () => vscode.commands.executeCommand('workbench.extensions.installExtension', debuggerId),
  });
  return false;
}
