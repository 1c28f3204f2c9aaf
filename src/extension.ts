import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { App } from './app';
import type { AnyCommandId } from './commandSpecs';
import { viewIds, type ViewId } from './contributions';
import { AccountsMenu } from './editor/accountsMenu';
import { chatTools } from './editor/chatTools';
import { loadForDocuments, loadForNotebooks } from './editor/documentTrigger';
import { FileDrops } from './editor/fileDrops';
import { LazyFileSystem } from './editor/lazyFileSystem';
import { LazyTree } from './editor/lazyTree';
import { t } from './editor/localize';
import { mcpDoor, type StartedServer } from './editor/mcpDoor';
import { message } from './editor/message';
import { sshAuthority } from './editor/remoteAuthority';
import type { GpuRental } from './extensionInterface';
import type { Shell } from './shell';
import type { Clock } from './util/clock';

interface Manifest {
  readonly version: string;
  readonly contributes: {
    readonly commands: readonly { readonly command: AnyCommandId }[];
    readonly languageModelTools?: readonly { readonly name: string }[];
  };
}

/** Returns what the files of instances need before their wing loads. */
function machineFileParts(load: () => Promise<App>): Pick<Shell, 'machineFiles' | 'fileDrops'> {
  const begin = async () => (await load()).run('gpuRental.files.begin', []);
  return { machineFiles: new LazyFileSystem(begin), fileDrops: new FileDrops(begin) };
}

const flat: readonly ViewId[] = ['gpuRental.sshKeys', 'gpuRental.hosting'];

function treeOf(id: ViewId, load: () => Promise<App>, { fileDrops }: Pick<Shell, 'fileDrops'>): LazyTree {
  return new LazyTree(id, load, {
    ...{ canSelectMany: true, showCollapseAll: !flat.includes(id) },
    ...(id === 'gpuRental.instances' ? { dragAndDropController: fileDrops } : {}),
  });
}

/**
 * Registers everything that the manifest declares; the first use loads the product. Returns what other extensions get.
 * Only tests pass `clock`.
 */
export function activate(context: vscode.ExtensionContext, clock?: Clock): GpuRental {
  let app: Promise<App> | undefined;
  const load = (): Promise<App> =>
    (app ??= import('./app')
      .then(({ startApp }) => startApp(context, shell, clock))
      .catch((error: unknown) => {
        app = undefined;
        message(
          'error',
          t('GPU Rental could not start: {0}', error instanceof Error ? error.message : String(error)),
          { label: t('Retry'), run: tryToLoad },
        );
        throw error;
      }));
  // `load` reports its own failure.
  const tryToLoad = () => load().catch(() => undefined);
  const files = machineFileParts(load);
  const shell: Shell = {
    // One tree for each view id; the type of the record is made from the same list.
    trees: Object.fromEntries(viewIds.map((id) => [id, treeOf(id, load, files)])) as Record<ViewId, LazyTree>,
    templateFiles: new LazyFileSystem(load),
    ...files,
    links: { handle: undefined },
    chat: { call: undefined },
    accountsMenu: new AccountsMenu(context.globalStorageUri.fsPath, async (id) => (await load()).run(id, [])),
    otherExtensions: { answers: undefined, instancesChanged: new vscode.EventEmitter() },
  };
  // The manifest replaces the table of commands, which loads with the product; a test compares the two.
  const manifest = context.extension.packageJSON as Manifest;
  context.subscriptions.push(
    ...Object.values(shell.trees),
    shell.accountsMenu,
    shell.otherExtensions.instancesChanged,
    ...fileSystems(shell),
    vscode.window.registerUriHandler({
      handleUri: async (uri) => {
        await load();
        await shell.links.handle?.(uri);
      },
    }),
    vscode.window.registerWebviewPanelSerializer('gpuRental.instance', {
      deserializeWebviewPanel: async (panel, state: unknown) => {
        await (await load()).run('gpuRental.instance.restorePage', [{ panel, state }]);
      },
    }),
    vscode.window.registerTerminalProfileProvider('gpuRental.instance', {
      provideTerminalProfile: async () => {
        const profile = await (await load()).run('gpuRental.terminalProfile', []);
        return profile instanceof vscode.TerminalProfile ? profile : undefined;
      },
    }),
    vscode.tasks.registerTaskProvider('gpuRental', taskProvider(load)),
    ...manifest.contributes.commands.map(({ command: id }) =>
      vscode.commands.registerCommand(id, async (...args: unknown[]) => (await tryToLoad())?.run(id, args)),
    ),
  );
  const tools = (manifest.contributes.languageModelTools ?? []).map(({ name }) => name);
  context.subscriptions.push(
    loadForDocuments(load),
    loadForNotebooks(load),
    chatTools(tools, async (tool, input, signal) => {
      await load();
      return shell.chat.call?.(tool, input, signal);
    }),
    mcpDoor(manifest.version, async () => {
      const server = await (await load()).run('gpuRental.agents.server', []);
      return server as StartedServer | undefined;
    }),
  );
  void resume(context.globalStorageUri.fsPath, load);
  return interfaceOf(shell, load);
}

/** Frozen, because all extensions get the same object. */
function interfaceOf({ accountsMenu, otherExtensions }: Shell, load: () => Promise<App>): GpuRental {
  const answers = async () => {
    await load();
    if (!otherExtensions.answers) {
      throw new Error('GPU Rental is not running.');
    }
    return otherExtensions.answers;
  };
  return Object.freeze({
    apiVersion: 1,
    account: async () => {
      const account = await accountsMenu.current();
      return account
        ? { isSignedIn: true, name: account.name, isDemo: account.isDemo }
        : { isSignedIn: false };
    },
    instances: async () => (await answers()).instances(),
    prepareSsh: async (instanceId) => (await answers()).prepareSsh(instanceId),
    onDidChangeAccount: accountsMenu.onDidChange,
    onDidChangeInstances: otherExtensions.instancesChanged.event,
  } satisfies GpuRental);
}

/** Offers the jobs of the open folders as tasks. */
function taskProvider(load: () => Promise<App>): vscode.TaskProvider {
  return {
    provideTasks: async () => tasksOf(await (await load()).run('gpuRental.job.tasks', [])),
    resolveTask: async (task) => {
      const known = tasksOf(await (await load()).run('gpuRental.job.tasks', []));
      const same = known.find(({ definition }) => definition['job'] === task.definition['job']);
      // The editor requires the same task definition object.
      return (
        same &&
        new vscode.Task(
          task.definition,
          same.scope ?? vscode.TaskScope.Workspace,
          same.name,
          same.source,
          same.execution,
        )
      );
    },
  };
}

/** For editors that are restored with a window, and for links to documents. */
function fileSystems({ templateFiles, machineFiles }: Shell): readonly { dispose(): unknown }[] {
  const files = { gpurental: templateFiles, 'gpurental-files': machineFiles };
  return Object.entries(files).flatMap(([scheme, provider]) => [
    provider,
    vscode.workspace.registerFileSystemProvider(scheme, provider, { isCaseSensitive: true }),
  ]);
}

function tasksOf(value: unknown): vscode.Task[] {
  return Array.isArray(value) ? value.filter((task) => task instanceof vscode.Task) : [];
}

/**
 * Loads the product at start-up if one small file notes that something costs money or waits, or if the window is on one
 * of our hosts.
 */
async function resume(storageDir: string, load: () => Promise<App>): Promise<void> {
  const needed = await readFile(join(storageDir, 'attention.json'), 'utf8').catch(() => '');
  if (needed.includes('true') || sshAuthority()?.startsWith('ssh-remote+gpu-') === true) {
    await load().catch(() => undefined);
  }
}
