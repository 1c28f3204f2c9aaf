import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { runCommand } from '../../editor/commands';
import { isNotebook } from '../../editor/documentTrigger';
import { t } from '../../editor/localize';
import { message, suggest } from '../../editor/message';
import { instanceName } from '../../model/instances/instanceLabel';
import type { Services } from '../../services';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { plainLabel } from '../../util/plainLabel';
import { kernelNameOf, kernelOfFolder } from '../machine/kernelOfFolder';
import { sessionsOf, type ServerAddress } from '../machine/kernels';
import { addKernel } from '../machine/notebookServer';
import { isSessionOf } from '../model/notebookServers';

/** An instance of an account, by its SSH alias as well. */
export interface NotebookMachine {
  readonly alias: string;
  readonly accountKey: string;
  readonly instanceId: number;
}

interface Deps extends Pick<Services, 'fleet' | 'log' | 'ssh'> {
  /** Returns the server of an instance to which this window is connected. */
  serverOf(alias: string): ServerAddress | undefined;
}

/** The folders of local notebooks on instances: mirrored folders have a kernel each, which starts in the folder. */
export class NotebookFolders implements Disposable {
  private readonly owned = new DisposableStore();
  /** The instances that notebooks of this window use. */
  private readonly machines = new Map<string, NotebookMachine>();
  /** The kernels that instances have, by alias and folder, with the places in which they start and the tokens of servers. */
  private readonly added = new Map<string, string>();
  /** The instances whose files take longer than a cell should wait. */
  private readonly late = new Set<string>();
  private readonly offered = new Set<string>();

  constructor(private readonly deps: Deps) {
    this.owned.add(
      vscode.workspace.onDidChangeNotebookDocument(({ notebook, cellChanges }) => {
        if (isLocal(notebook) && cellChanges.some(({ executionSummary }) => executionSummary !== undefined)) {
          this.offer(notebook).catch((error: unknown) => {
            deps.log.warn(`The folder of a notebook could not be offered: ${String(error)}`);
          });
        }
      }),
    );
  }

  /** Adds the kernels of open notebooks whose folders the instance has, before Jupyter lists its kernels. Never rejects. */
  async addKernels(machine: NotebookMachine): Promise<void> {
    this.machines.set(machine.alias, machine);
    const folders = new Set(vscode.workspace.notebookDocuments.filter(isLocal).map(folderOf));
    for (const folder of folders) {
      try {
        const place = await runCommand('gpuRental.mirror.placeOf', { ...placeOf(machine), folder });
        if (place !== undefined) {
          await this.add(machine, folder, place);
        }
      } catch (error) {
        this.deps.log.warn(
          `The kernel of ${folder} could not be added on ${machine.alias}: ${String(error)}`,
        );
      }
    }
  }

  /** Mirrors the folder of a notebook after a question, and shows which kernel starts in it. */
  async mirror(machine: NotebookMachine, notebook: vscode.NotebookDocument): Promise<void> {
    this.machines.set(machine.alias, machine);
    const folder = folderOf(notebook);
    const place = await runCommand('gpuRental.mirror.begin', { ...placeOf(machine), folder });
    if (place === undefined) {
      return;
    }
    const title = await this.add(machine, folder, place);
    message('info', t('Choose the kernel {0}. It starts in the folder of the notebook.', title), {
      label: t('Select Kernel'),
      run: () => vscode.commands.executeCommand('notebook.selectKernel'),
    });
  }

  /** Returns the notebook in front if it is one of this computer without a kernel in its folder on the instance. */
  withoutFolder(alias: string): vscode.NotebookDocument | undefined {
    const notebook = vscode.window.activeNotebookEditor?.notebook;
    return notebook && isLocal(notebook) && !this.added.has(keyOf(alias, folderOf(notebook)))
      ? notebook
      : undefined;
  }

  /** Returns how a kernel is called in its picker, if it is one of a folder. */
  titleOf(alias: string, kernelName: string): string {
    const own = [...this.added.keys()].find((key) => kernelNameOf(folderIn(key, alias)) === kernelName);
    return own === undefined ? kernelName : plainLabel(basename(folderIn(own, alias)));
  }

  /** Waits, for as long as a cell should, until the instance has what was saved here. Never rejects. */
  async settle(alias: string): Promise<void> {
    const machine = this.machines.get(alias);
    if (!machine || ![...this.added.keys()].some((key) => key.startsWith(`${alias} `))) {
      return;
    }
    const sent = Promise.resolve(runCommand('gpuRental.mirror.settle', placeOf(machine))).then((isSent) => {
      if (isSent !== false) {
        this.late.delete(alias);
      } else if (!this.late.has(alias)) {
        this.late.add(alias);
        const name = this.nameOf(machine);
        vscode.window.setStatusBarMessage(t('The cell runs before all changes are on {0}.', name), 8_000);
      }
    });
    // What was held once is not held again while it is sent.
    await (this.late.has(alias) ? undefined : sent);
  }

  dispose(): void {
    this.owned.dispose();
  }

  private async add(machine: NotebookMachine, folder: string, place: string): Promise<string> {
    const title = t('{0} on {1}', plainLabel(basename(folder)), this.nameOf(machine));
    const key = keyOf(machine.alias, folder);
    // A machine that was wiped has another token, and none of its kernels.
    const there = `${place} ${this.deps.serverOf(machine.alias)?.token ?? ''}`;
    if (this.added.get(key) !== there) {
      await addKernel(this.deps.ssh, machine.alias, kernelOfFolder(folder, place, title));
      this.added.set(key, there);
    }
    return title;
  }

  /** Offers the folder once in this window to a notebook whose kernel on an instance starts elsewhere. */
  private async offer(notebook: vscode.NotebookDocument): Promise<void> {
    const folder = folderOf(notebook);
    for (const machine of this.machines.values()) {
      const key = keyOf(machine.alias, folder);
      const server = this.deps.serverOf(machine.alias);
      if (!server || this.offered.has(key)) {
        continue;
      }
      const sessions = await sessionsOf(server);
      const own = sessions.filter(({ name }) => isSessionOf(name, notebook.uri.path));
      if (own.length === 0 || own.some(({ kernelName }) => kernelName === kernelNameOf(folder))) {
        continue;
      }
      this.offered.add(key);
      const file = plainLabel(basename(notebook.uri.path));
      await suggest(
        'info',
        t('The cells of {0} run on {1}, without the files beside it.', file, this.nameOf(machine)),
        { label: t('Mirror Folder…'), run: () => this.mirror(machine, notebook) },
      );
    }
  }

  private nameOf({ instanceId }: NotebookMachine): string {
    const instance = this.deps.fleet.find(instanceId);
    return instance ? plainLabel(instanceName(instance)) : `#${instanceId}`;
  }
}

function isLocal(notebook: vscode.NotebookDocument): boolean {
  return isNotebook(notebook) && notebook.uri.scheme === 'file' && !notebook.isUntitled;
}

function folderOf({ uri }: vscode.NotebookDocument): string {
  return dirname(uri.fsPath);
}

function placeOf({ accountKey, instanceId }: NotebookMachine) {
  return { accountKey, instanceId };
}

function keyOf(alias: string, folder: string): string {
  return `${alias} ${folder}`;
}

function folderIn(key: string, alias: string): string {
  return key.slice(alias.length + 1);
}
