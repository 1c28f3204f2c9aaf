import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod';
import { confirm } from '../../../editor/confirm';
import { t } from '../../../editor/localize';
import { writeFileAt } from '../../../editor/saveFile';
import { JsonPlaces } from '../../../model/documents/jsonPlaces';
import type { HeldTarget } from '../../../model/instances/heldInstance';
import { matchesRecipe } from '../../../model/workspace/recipeMatch';
import { readSetUp, type RepositorySetUp } from '../../../model/workspace/setUpField';
import {
  checkSyntax,
  machineNames,
  readRecipe,
  renderWorkspaceFile,
  workspaceFilePath,
} from '../../../model/workspace/workspaceFile';
import type { Services } from '../../../services';
import { sha256 } from '../../../ssh/alias';
import { bytesText } from '../../../util/bytes';
import { UserError } from '../../../util/errors';
import { ifPresent } from '../../../util/missing';
import { plainArgument, plainLabel, plainLines } from '../../../util/plainLabel';
import { realPlace } from '../../../util/realPlace';
import { text } from '../../../util/text';
import { devcontainerPaths, readDevcontainer } from '../../machine/setUp/devcontainer';
import { scriptStep, type WantedStep } from '../../machine/setUp/machineSetUp';
import type { FolderMirrors } from '../../model/mirror';
import { namesText } from '../mirrorText';
import { mirrorOf } from '../startMirror';
import { repositoriesKey } from './wantsSetUp';

export type RepositoryDeps = Pick<Services, 'fleet' | 'globalState' | 'log' | 'report'> & {
  readonly mirrors: FolderMirrors;
};

const mostAnswers = 100;
const mostBytes = 1_000_000;

/** What the user said to the set-up of one folder, for one account and exactly this set-up. */
const answers = z.array(
  z.object({
    accountKey: z.string(),
    folder: z.string(),
    fingerprint: z.string(),
    isAgreed: z.boolean(),
    extensions: z.array(z.string()),
    secrets: z.array(z.string()),
    instances: z.array(z.number()),
  }),
);
type Answer = z.output<typeof answers>[number];

type Machine = HeldTarget & { readonly name: string };

interface Found {
  readonly wanted: RepositorySetUp;
  /** It is no part of the workspace file yet, but of this file. */
  readonly offer?: { readonly from: string; readonly leftOut: readonly string[] };
}

/**
 * The part of workspace files in the set-up of machines. A file only states what it wants: in a trusted workspace, the user
 * is asked once for each folder, account and version, and sees all that is done.
 */
export class RepositorySetUps {
  constructor(private readonly deps: RepositoryDeps) {}

  /** What the user agreed to for a machine, in any window. */
  of({ accountKey, instanceId }: HeldTarget): Pick<RepositorySetUp, 'extensions' | 'secrets'> {
    const agreed = this.answers.filter(
      (one) => one.isAgreed && one.accountKey === accountKey && one.instances.includes(instanceId),
    );
    return {
      extensions: agreed.flatMap(({ extensions }) => extensions),
      secrets: agreed.flatMap(({ secrets }) => secrets),
    };
  }

  /**
   * Asks for the set-up of the first open folder that has one for this machine; returns its script if the user agreed. What is
   * wrong with a folder is shown, and keeps nothing else from being set up.
   */
  async ask(machine: Machine, opened: string | undefined): Promise<readonly WantedStep[]> {
    const folders = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
    try {
      for (const { uri } of folders) {
        const folder = uri.scheme === 'file' ? await ifPresent(realpath(uri.fsPath)) : undefined;
        const found = folder === undefined ? undefined : await this.find(folder, machine);
        if (folder !== undefined && found) {
          const isAgreed = await this.isAgreed(machine, folder, found);
          const { script } = found.wanted;
          return isAgreed && script !== '' ? [await this.step(machine, folder, script, opened)] : [];
        }
      }
    } catch (error) {
      this.deps.report.error(error);
    }
    return [];
  }

  /** In the mirror of its folder, or in the folder that is opened if that has the same workspace file. */
  private async step({ instanceId }: Machine, folder: string, script: string, opened: string | undefined) {
    const mirrored = mirrorOf(this.deps.mirrors, instanceId, folder)?.remote;
    const source = await readIn(folder, workspaceFilePath);
    return mirrored !== undefined || opened === undefined || source === undefined
      ? scriptStep(script, mirrored)
      : scriptStep(script, opened, sha256(source));
  }

  /** Makes the next set-up ask again. */
  async forgetDeclined(): Promise<void> {
    await this.keep(this.answers.filter(({ isAgreed }) => isAgreed));
  }

  private get answers(): readonly Answer[] {
    return answers.safeParse(this.deps.globalState.get<unknown>(repositoriesKey)).data ?? [];
  }

  private async keep(all: readonly Answer[]): Promise<void> {
    await this.deps.globalState.update(repositoriesKey, all.slice(-mostAnswers));
  }

  /** What the workspace file wants, or could have from the description of a development container. */
  private async find(folder: string, machine: Machine): Promise<Found | undefined> {
    const source = await readIn(folder, workspaceFilePath);
    const wanted = source === undefined ? undefined : readSetUp(source);
    if (source !== undefined && !this.isFor(machine, folder, source)) {
      return undefined;
    }
    return wanted ? { wanted } : this.offered(folder, machine);
  }

  /** A description of a container has not been asked about yet. An offer that can't be written is none. */
  private async offered(folder: string, { accountKey }: Machine): Promise<Found | undefined> {
    for (const from of devcontainerPaths) {
      try {
        const source = await readIn(folder, from);
        const read = source === undefined ? undefined : readDevcontainer(source);
        if (read && !this.answerTo(accountKey, folder, read.setUp) && !isUnsaved(folder)) {
          return { wanted: read.setUp, offer: { from, leftOut: read.leftOut } };
        }
      } catch (error) {
        this.deps.log.info(`${from} is not offered as a set-up: ${String(error)}`);
      }
    }
    return undefined;
  }

  private answerTo(accountKey: string, folder: string, wanted: RepositorySetUp): Answer | undefined {
    return this.answers.find(
      (one) =>
        one.accountKey === accountKey && one.folder === folder && one.fingerprint === fingerprintOf(wanted),
    );
  }

  /** A file that describes machines speaks for those, and for those that have its folder. */
  private isFor({ instanceId }: Machine, folder: string, source: string): boolean {
    const { fleet, mirrors } = this.deps;
    const places = new JsonPlaces(source);
    const recipes = machineNames(source).map((name) => readRecipe(places, name));
    const named = recipes.filter(({ template, image }) => template ?? image);
    const instance = fleet.find(instanceId);
    return (
      named.length === 0 ||
      mirrorOf(mirrors, instanceId, folder) !== undefined ||
      (instance !== undefined && named.some((recipe) => matchesRecipe(instance, recipe)))
    );
  }

  private async isAgreed(machine: Machine, folder: string, found: Found): Promise<boolean> {
    const { accountKey, instanceId } = machine;
    const { wanted, offer } = found;
    const isOf = (one: Answer) => one.accountKey === accountKey && one.folder === folder;
    const fingerprint = fingerprintOf(wanted);
    const known = this.answerTo(accountKey, folder, wanted);
    const isAgreed = known?.isAgreed ?? (await askForSetUp(folder, found, machine.name));
    if (isAgreed && offer) {
      await writeSetUp(folder, wanted);
    }
    if (!known?.instances.includes(instanceId)) {
      const all = this.answers;
      // A no to a new version takes nothing back of the old one.
      const old = all.find((one) => isOf(one) && one.isAgreed === isAgreed);
      const answer: Answer = {
        ...{ accountKey, folder, fingerprint, isAgreed },
        ...{ extensions: [...wanted.extensions], secrets: [...wanted.secrets] },
        instances: [...new Set([...(old?.instances ?? []), instanceId])],
      };
      await this.keep([...all.filter((one) => one !== old), answer]);
    }
    return isAgreed;
  }
}

function fingerprintOf(wanted: RepositorySetUp): string {
  return sha256(JSON.stringify(wanted));
}

/** Shows all that is done, and what is written for it, so that nothing of it comes as a surprise. */
function askForSetUp(folder: string, { wanted, offer }: Found, machine: string): Promise<boolean> {
  const { extensions, secrets, script } = wanted;
  const place = (path: string) => `${plainLabel(basename(folder))}/${path}`;
  const untilChanged = t('Your answer holds for this folder and account, until one of these lines changes.');
  if (offer) {
    return confirm({
      message: t('Set up {0} with extensions and commands of {1}?', machine, place(offer.from)),
      detail: [
        t('Writes this into {0}, and does it:', place(workspaceFilePath)),
        plainLines(renderWorkspaceFile({ setUp: stored(wanted) })),
        ...(offer.leftOut.length > 0
          ? [t('Left out: {0}', namesText(offer.leftOut.map(plainArgument)))]
          : []),
        untilChanged,
      ].join('\n\n'),
      button: t('Write and Set Up'),
    });
  }
  return confirm({
    message: t('Set up {0} as {1} wants it?', machine, place(workspaceFilePath)),
    detail: [
      ...(extensions.length > 0 ? [t('Installs extensions: {0}', extensions.join(', '))] : []),
      ...(secrets.length > 0 ? [t('Asks for secrets: {0}', secrets.join(', '))] : []),
      ...(script === ''
        ? []
        : [t('Runs there, with any file of the folder that it names:'), plainLines(script)]),
      untilChanged,
    ].join('\n\n'),
    button: t('Set Up'),
  });
}

/** The set-up as a file has it. */
function stored({ extensions, secrets, script }: RepositorySetUp): Partial<RepositorySetUp> {
  return {
    ...(extensions.length > 0 && { extensions }),
    ...(secrets.length > 0 && { secrets }),
    ...(script !== '' && { script }),
  };
}

/** A pipe or a device in the place of a file would keep the window waiting for ever. */
async function readIn(folder: string, path: string): Promise<string | undefined> {
  const file = join(folder, path);
  const facts = await ifPresent(stat(file));
  if (facts && (!facts.isFile() || facts.size > mostBytes)) {
    throw new UserError(
      text('{0} is no file, or has more than {1}.', plainLabel(path), bytesText(mostBytes)),
    );
  }
  return facts && ifPresent(readFile(file, 'utf8'));
}

function isUnsaved(folder: string): boolean {
  const path = join(folder, workspaceFilePath);
  return vscode.workspace.textDocuments.some(({ isDirty, uri }) => isDirty && uri.fsPath === path);
}

/** Adds the set-up to the workspace file as it is now, unless it has one by now. */
async function writeSetUp(folder: string, wanted: RepositorySetUp): Promise<void> {
  const path = await realPlace({ path: join(folder, workspaceFilePath), root: { opened: folder } });
  const source = (await ifPresent(readFile(path, 'utf8'))) ?? '';
  if (source.trim() === '') {
    await writeFileAt(vscode.Uri.file(path), renderWorkspaceFile({ setUp: stored(wanted) }));
    return;
  }
  const places = new JsonPlaces(source);
  checkSyntax(places);
  if (!places.node(['setUp'])) {
    const [change] = places.set('setUp', stored(wanted));
    if (change) {
      const { offset, length, text } = change;
      const written = source.slice(0, offset) + text + source.slice(offset + length);
      await writeFileAt(vscode.Uri.file(path), written);
    }
  }
}
