import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { InstanceTarget } from '../../commandSpecs';
import { allRows, runCommand, signedIn, titledAction } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { showTerminal } from '../../editor/ownTerminal';
import { whileReadingInstances } from '../../editor/progress';
import { askLine, pickFromList, type Row } from '../../editor/quickPick';
import { problemsOfSeveral } from '../../editor/reachSeveral';
import { showFolder } from '../../editor/showFolder';
import { titleOf } from '../../editor/titles';
import type { Instance } from '../../model/instances/instance';
import { nameAmong } from '../../model/instances/instanceLabel';
import { shellKindOf, shellPathFor, type ShellKind } from '../../ssh/shellKind';
import type { Account } from '../../store/accounts/accounts';
import { accountFor } from '../../store/accounts/sameAccount';
import { isComplete, listedInstances } from '../../store/instances/listed';
import { UserError } from '../../util/errors';
import { isInstalled } from '../../util/isInstalled';
import { ifPresent } from '../../util/missing';
import { plainLabel } from '../../util/plainLabel';
import { realPlace } from '../../util/realPlace';
import { text } from '../../util/text';
import { engineCommands, type EngineCommand } from '../machine/handOver';
import { engines, missingText, needsShellText, type Engine } from '../model/engines';
import { setNameProblem, type HostSet } from '../model/hostSet';
import type { HostFileKeeper } from '../store/hostFileKeeper';
import type { HostSets } from '../store/hostSets';
import { chooseMembers, setRow } from './chooseHosts';
import type { EngineDeps } from './deps';
import { askFolder, checkFolder, folderGone, freeName, makeFolder, throwIfTaken } from './setFolder';

export interface UseInDeps extends EngineDeps {
  readonly sets: HostSets;
  readonly keeper: HostFileKeeper;
}

/** Hands instances to a tool: asks for the tool, the group, and the first command. */
export async function useInstancesIn(
  deps: UseInDeps,
  target: InstanceTarget | undefined,
  selected: readonly InstanceTarget[] | undefined,
): Promise<void> {
  if (!(await signedIn(deps.accounts))) {
    return;
  }
  const account = accountFor(deps.accounts);
  const given = allRows(target, selected);
  const engine = await chooseEngine();
  const set = engine && (await chooseSet(deps, account, engine, given));
  if (engine && set) {
    await handOver(deps, account, engine, set);
  }
}

/** Hands an existing group to a tool. */
export async function useSetIn(deps: UseInDeps, account: () => Account, set: HostSet): Promise<void> {
  const engine = await chooseEngine();
  if (engine) {
    await handOver(deps, account, engine, set);
  }
}

/** The guide explains what each of them lacks and what to use instead (docs/engines.md#what-does-not-fit). */
const otherEngines = 'Ray, SkyPilot, dstack, DevPod, Slurm, Kubernetes, torchrun, MPI, DeepSpeed';

async function chooseEngine(): Promise<Engine | undefined> {
  const rows: Row<Engine | 'others'>[] = [
    ...engines.map((engine) => ({
      id: engine.id,
      icon: 'tools',
      label: engine.name,
      description: localize(engine.use),
      value: engine,
    })),
    { label: t('Not Possible on Rented Containers'), kind: vscode.QuickPickItemKind.Separator },
    { icon: 'book', label: otherEngines, description: titleOf('gpuRental.openGuide'), value: 'others' },
  ];
  const answer = await pickFromList({
    title: titleOf('gpuRental.instance.useIn'),
    placeholder: t('Which one?'),
    rows,
  });
  if (answer.kind !== 'picked') {
    return undefined;
  }
  if (answer.value === 'others') {
    await runCommand('gpuRental.openGuide', 'engines');
    return undefined;
  }
  return answer.value;
}

async function chooseSet(
  deps: UseInDeps,
  account: () => Account,
  engine: Engine,
  given: readonly InstanceTarget[],
): Promise<HostSet | undefined> {
  await deps.sets.ready;
  const known = given.length === 0 ? deps.sets.rows : [];
  if (known.length > 0) {
    const answer = await pickFromList<HostSet | 'new'>({
      title: engine.name,
      placeholder: t('Which one?'),
      rows: [...known.map(setRow), { id: 'new', icon: 'add', label: t('New Group…'), value: 'new' as const }],
    });
    if (answer.kind !== 'picked') {
      return undefined;
    }
    if (answer.value !== 'new') {
      return answer.value;
    }
  }
  return newSet(deps, account, engine, given);
}

async function newSet(
  deps: UseInDeps,
  account: () => Account,
  engine: Engine,
  given: readonly InstanceTarget[],
): Promise<HostSet | undefined> {
  const members = await chooseMembers(deps, given, engine.name);
  const name =
    members &&
    (await askLine({
      title: engine.name,
      prompt: t('Name of the group in the tool'),
      value: freeName(await deps.sets.everywhere()),
      problem: (value) => {
        const problem = setNameProblem(value.trim());
        return problem ? localize(problem) : undefined;
      },
    }));
  const place = name === undefined ? undefined : await askFolder(name.trim());
  if (!members || name === undefined || place === undefined) {
    return undefined;
  }
  const folder = await realPlace(place);
  await checkFolder(deps.sets, account().key, folder, name.trim());
  return deps.sets.add(account().key, { name: name.trim(), folder: await makeFolder(place), members });
}

/** Updates the files, and opens a terminal with the command ready for Enter. */
async function handOver(
  deps: UseInDeps,
  account: () => Account,
  engine: Engine,
  set: HostSet,
): Promise<void> {
  // An unread list has no members, which is not the same as none that runs.
  await listedInstances(deps.fleet, whileReadingInstances);
  account();
  const running = deps.keeper.runningOf(set);
  await proveHostKeys(running, account().key);
  account();
  await deps.keeper.keepThere(set.id);
  const hosts = await deps.keeper.hostsOf(set);
  if (deps.keeper.isLost(set.id)) {
    throw folderGone(set);
  }
  throwIfTaken(set.folder, deps.keeper.strangersOf(set.id));
  await throwIfUnwritten(deps, set, engine);
  const [first] = hosts;
  if (!first) {
    message(
      'info',
      t("You can't log in to any instance of the group {0} now. Its files are kept up to date.", set.name),
      titledAction('gpuRental.showLog'),
    );
    return;
  }
  reportLeftOut(
    running.filter(({ id }) => !hosts.some(({ alias }) => alias === deps.ssh.aliasOf(account(), id))),
    running,
  );
  const { program } = engine;
  const isMissing = program !== undefined && !(await isInstalled(program.name));
  const shell = shellKindOf(vscode.env.shell, process.platform);
  const commands = engineCommands(
    engine.id,
    {
      sshOptions: deps.ssh.command(first.alias).slice(1, -1),
      group: set.name,
      hasSeveralGpus: hosts.some(({ gpuCount }) => gpuCount > 1),
    },
    shell,
  );
  const answer = await pickFromList<EngineCommand | 'file' | 'folder'>({
    title: t('{0}: {1}', engine.name, set.name),
    placeholder:
      commands.length === 0
        ? localize(needsShellText(engine))
        : isMissing
          ? localize(missingText(engine, process.platform))
          : t('Instances: {0}. Press Enter in the terminal to run the command.', hosts.length),
    rows: [
      ...commands.map((command) => ({
        id: command.id,
        icon: 'terminal',
        label: localize(command.label),
        detail: command.line,
        value: command,
      })),
      { label: t('Files'), kind: vscode.QuickPickItemKind.Separator },
      { id: 'file', icon: 'file', label: t('Open {0}', engine.file), value: 'file' },
      { id: 'folder', icon: 'folder-opened', label: t('Show the Folder'), value: 'folder' },
    ],
  });
  if (answer.kind === 'picked') {
    await act(set, engine, answer.value, shell);
  }
}

/** Logs in to the instances of a group: the tools can't ask about a host key, so they refuse an unproved one. */
async function proveHostKeys(running: readonly Instance[], accountKey: string): Promise<void> {
  const [first, ...others] = running.map(({ id }) => id);
  if (first !== undefined && others.length === 0) {
    await runCommand('gpuRental.prepareSsh', { instanceId: first, accountKey });
  } else if (first !== undefined) {
    await problemsOfSeveral([first, ...others], accountKey);
  }
}

function reportLeftOut(leftOut: readonly Instance[], running: readonly Instance[]): void {
  if (leftOut.length > 0) {
    message(
      'warning',
      t(
        'Could not log in to these instances, so the files leave them out: {0}',
        leftOut.map((one) => nameAmong(one, running)).join(', '),
      ),
      titledAction('gpuRental.showLog'),
    );
  }
}

async function act(
  set: HostSet,
  engine: Engine,
  what: EngineCommand | 'file' | 'folder',
  shell: ShellKind,
): Promise<void> {
  if (what === 'file') {
    await vscode.window.showTextDocument(vscode.Uri.file(join(set.folder, engine.file)));
  } else if (what === 'folder') {
    if (!(await showFolder(set.folder))) {
      throw folderGone(set);
    }
  } else {
    const shellPath = shellPathFor(shell, vscode.env.shell);
    const terminal = showTerminal({
      name: plainLabel(`${engine.name}: ${set.name}`),
      folder: set.folder,
      ...(shellPath === undefined ? {} : { shellPath }),
    });
    terminal.sendText(what.line, false);
  }
}

/** Files of an earlier list can be used. Without any, the tool would find nothing in the folder. */
async function throwIfUnwritten(
  { fleet }: Pick<EngineDeps, 'fleet'>,
  { folder, name }: HostSet,
  { file }: Engine,
): Promise<void> {
  if ((await ifPresent(stat(join(folder, file)))) !== undefined) {
    return;
  }
  const { state } = fleet;
  if (state.kind === 'ready' && state.error instanceof Error) {
    throw state.error;
  }
  throw new UserError(
    state.kind === 'ready' && !isComplete(state.value)
      ? text(
          'The service did not send all instances, so the files of the group {0} are not written yet.',
          name,
        )
      : text('Could not write the files of the group {0}. See the log for details.', name),
    { nextStep: 'retry' },
  );
}
