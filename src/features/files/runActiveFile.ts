import { dirname } from 'node:path';
import * as vscode from 'vscode';
import type { DocumentTarget } from '../../commandSpecs';
import { chooseInstance } from '../../editor/chooseInstance';
import { runCommand } from '../../editor/commands';
import { choose } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { openNamedDocument } from '../../editor/namedDocument';
import { showTerminal } from '../../editor/ownTerminal';
import { whileReadingInstances, withCancellableProgress } from '../../editor/progress';
import { pickFromList } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import { instanceName } from '../../model/instances/instanceLabel';
import { scriptNeeds, type ScriptNeeds } from '../../model/workspace/scriptNeeds';
import type { Services } from '../../services';
import { interpreterFor, remoteName, runScript, sendFile } from '../../ssh/runFile';
import { byUv, findForScript, installUv } from '../../ssh/uv';
import { accountFor } from '../../store/accounts/sameAccount';
import { connectableInstances } from '../../store/instances/listed';
import { plainLabel } from '../../util/plainLabel';
import { readPlace } from '../../util/realPlace';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'ssh' | 'clock' | 'commands' | 'workspaceState'>;

interface Source {
  readonly name: string;
  readonly content: string;
  /** The file, if it is one of this computer. */
  readonly path?: string | undefined;
}

const lastWay = 'gpuRental.runFile';

/**
 * Runs the text of the editor, saved or not, in a terminal on an instance, or as a job if it is a file of the workspace.
 * Asks which, and on which instance if several are running.
 */
export class FileRunner {
  private last: number | undefined;

  constructor(private readonly deps: Deps) {}

  async run(target: DocumentTarget | undefined): Promise<void> {
    const document = target ? await openNamedDocument(target.uri) : vscode.window.activeTextEditor?.document;
    if (!document) {
      message('info', t('Open the file that you want to run.'));
      return;
    }
    switch (await this.chooseWay(document)) {
      case undefined:
        return;
      case 'job':
        await runCommand('gpuRental.job.runFile', { uri: document.uri.toString() });
        return;
      case 'now':
        return this.runNow(sourceOf(document));
    }
  }

  /** Proposes the last choice in this workspace. What is no file of it can't be a job. */
  private async chooseWay({ uri }: vscode.TextDocument): Promise<'now' | 'job' | undefined> {
    const { isTrusted } = vscode.workspace;
    if (uri.scheme !== 'file' || !isTrusted || !vscode.workspace.getWorkspaceFolder(uri)) {
      return 'now';
    }
    const answer = await pickFromList<'now' | 'job'>({
      title: titleOf('gpuRental.runActiveFile'),
      placeholder: plainLabel(uri.path.split('/').at(-1) ?? ''),
      activeId: this.deps.workspaceState.get(lastWay),
      rows: [
        { id: 'now', icon: 'terminal', label: t('In a Terminal'), value: 'now' },
        {
          ...{ id: 'job', icon: 'run-all', label: t('As a Job'), value: 'job' },
          description: t('with limits, outputs are fetched'),
        },
      ],
    });
    if (answer.kind !== 'picked') {
      return undefined;
    }
    await this.deps.workspaceState.update(lastWay, answer.value);
    return answer.value;
  }

  private async runNow(source: Source): Promise<void> {
    const account = accountFor(this.deps.accounts);
    const needs = scriptNeeds(source.name, source.content);
    const named = interpreterFor(source.name, source.content);
    const instanceId = await this.choose();
    if (instanceId === undefined) {
      return;
    }
    const machine = { instanceId, accountKey: account().key, isForTerminal: true };
    const alias = await runCommand('gpuRental.prepareSsh', machine);
    if (alias === undefined) {
      return;
    }
    const instance = this.deps.fleet.find(instanceId);
    const where = instance ? plainLabel(instanceName(instance)) : `#${instanceId}`;
    const shown = plainLabel(remoteName(source.name));
    const interpreter = needs ? await this.chooseProgram(needs, named, { alias, where, shown }) : named;
    if (interpreter === undefined) {
      return;
    }
    const lock = needs && source.path !== undefined ? await lockBeside(source.path) : undefined;
    account();
    const folder = await withCancellableProgress(t('Sending {0} to {1}', shown, where), (signal) =>
      sendFile(this.deps.ssh, alias, { ...source, lock }, signal),
    );
    const neighbors = source.path === undefined ? undefined : await neighborsOf(source.path, machine);
    if (neighbors?.isInStep === false) {
      vscode.window.setStatusBarMessage(t('{0} runs before all changes are on {1}.', shown, where), 8_000);
    }
    const script = runScript(folder, source.name, interpreter, {
      ended: t('Press Enter to close. It ended with code'),
      neighbors: neighbors?.place,
    });
    const [shellPath, ...shellArgs] = this.deps.ssh.command(alias, '-t', script);
    showTerminal({
      name: `${shown} · ${where}`,
      shellPath,
      shellArgs,
      iconPath: new vscode.ThemeIcon('run'),
      isTransient: true,
      env: { TERM: 'xterm-256color' },
    });
    this.last = instanceId;
  }

  /** Returns the command for a script that carries its needs; asks where uv is missing. */
  private async chooseProgram(
    needs: ScriptNeeds,
    python: string,
    { alias, where, shown }: { readonly alias: string; readonly where: string; readonly shown: string },
  ): Promise<string | undefined> {
    const { ssh } = this.deps;
    const { hasUv, missing } = await withCancellableProgress(t('Connecting to {0}', where), (signal) =>
      findForScript(ssh, alias, needs.packages, signal),
    );
    if (hasUv) {
      return byUv(needs);
    }
    const lacks = missing?.join(', ') ?? '';
    const there =
      lacks === '' ? t('The Python of its image has them.') : t('The Python of its image lacks {0}.', lacks);
    return choose<string | undefined>(
      {
        message: t('{0} has no uv, which installs the packages that {1} names.', where, shown),
        detail: `${t('Install it with pip or the installer of astral.sh?')} ${missing ? there : ''}`.trim(),
      },
      {
        label: t('Install uv and Run'),
        run: async () => {
          await withCancellableProgress(t('Installing {0} on {1}', 'uv', where), (signal) =>
            installUv(ssh, alias, signal),
          );
          return byUv(needs);
        },
      },
      missing && { label: t('Run With the Python of the Image'), run: () => python },
    );
  }

  /** Asks for the instance; the one of the last run comes first, so that Enter picks it. */
  private async choose(): Promise<number | undefined> {
    const able = await connectableInstances(this.deps, whileReadingInstances);
    const last = able.filter(({ id }) => id === this.last);
    return chooseInstance(
      undefined,
      [...last, ...able.filter(({ id }) => id !== this.last)],
      'gpuRental.runActiveFile',
    );
  }
}

/** Returns the text of a document, with the ending of its language if it was never saved. */
function sourceOf(document: vscode.TextDocument): Source {
  const name = document.uri.path.split('/').at(-1) ?? '';
  const hasEnding = /\.[A-Za-z]+$/.test(name);
  return {
    name: hasEnding ? name : name + endingOf(document),
    content: document.getText(),
    path: document.uri.scheme === 'file' ? document.uri.fsPath : undefined,
  };
}

/** Returns where the folder of a file is on an instance that mirrors it, in step as far as that is soon done. */
async function neighborsOf(
  path: string,
  machine: { readonly instanceId: number; readonly accountKey: string },
): Promise<{ readonly place: string; readonly isInStep: boolean } | undefined> {
  const place = await runCommand('gpuRental.mirror.placeOf', { ...machine, folder: dirname(path) });
  return place === undefined
    ? undefined
    : { place, isInStep: (await runCommand('gpuRental.mirror.settle', machine)) !== false };
}

/** Returns the versions that uv keeps for a script. A link that leads out of its folder is refused. */
function lockBeside(path: string): Promise<string | undefined> {
  return readPlace({ path: `${path}.lock`, root: { opened: dirname(path) } });
}

/** Returns the file ending for the language of a document that was never saved. */
function endingOf({ languageId }: vscode.TextDocument): string {
  const endings: Readonly<Record<string, string>> = {
    python: '.py',
    shellscript: '.sh',
    javascript: '.js',
    r: '.r',
    julia: '.jl',
    perl: '.pl',
    ruby: '.rb',
    lua: '.lua',
    php: '.php',
  };
  return endings[languageId] ?? '';
}
