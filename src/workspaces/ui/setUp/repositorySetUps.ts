import { readFile, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod';
import { confirm } from '../../../editor/confirm';
import { t } from '../../../editor/localize';
import { JsonPlaces } from '../../../model/documents/jsonPlaces';
import type { HeldTarget } from '../../../model/instances/heldInstance';
import { matchesRecipe } from '../../../model/workspace/recipeMatch';
import { readSetUp, type RepositorySetUp } from '../../../model/workspace/setUpField';
import { machineNames, readRecipe, workspaceFilePath } from '../../../model/workspace/workspaceFile';
import type { Services } from '../../../services';
import { sha256 } from '../../../ssh/alias';
import { ifPresent } from '../../../util/missing';
import { plainLabel, plainLines } from '../../../util/plainLabel';
import { scriptStep, type WantedStep } from '../../machine/setUp/machineSetUp';
import type { FolderMirrors } from '../../model/mirror';
import { mirrorOf } from '../startMirror';
import { repositoriesKey } from './wantsSetUp';

export type RepositoryDeps = Pick<Services, 'fleet' | 'globalState' | 'report'> & {
  readonly mirrors: FolderMirrors;
};

const mostAnswers = 100;

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

  /** Asks for the set-up of the first open folder that has one for this machine; returns its script if the user agreed. */
  async ask(machine: Machine, opened: string | undefined): Promise<readonly WantedStep[]> {
    const folders = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
    for (const { uri } of folders) {
      const folder = uri.scheme === 'file' ? await ifPresent(realpath(uri.fsPath)) : undefined;
      const wanted = folder === undefined ? undefined : await this.wantedBy(folder, machine);
      if (folder !== undefined && wanted) {
        const isAgreed = await this.isAgreed(machine, folder, wanted);
        const place = mirrorOf(this.deps.mirrors, machine.instanceId, folder)?.remote ?? opened;
        return isAgreed && wanted.script !== '' ? [scriptStep(wanted.script, place)] : [];
      }
    }
    return [];
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

  /** A file that can't be read is named, and keeps nothing else from being set up. */
  private async wantedBy(folder: string, machine: Machine): Promise<RepositorySetUp | undefined> {
    try {
      const source = await ifPresent(readFile(join(folder, workspaceFilePath), 'utf8'));
      const wanted = source === undefined ? undefined : readSetUp(source);
      return wanted && this.isFor(machine, folder, source ?? '') ? wanted : undefined;
    } catch (error) {
      this.deps.report.error(error);
      return undefined;
    }
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

  private async isAgreed(machine: Machine, folder: string, wanted: RepositorySetUp): Promise<boolean> {
    const { accountKey, instanceId } = machine;
    const fingerprint = sha256(JSON.stringify(wanted));
    const isOf = (one: Answer) => one.accountKey === accountKey && one.folder === folder;
    const known = this.answers.find((one) => isOf(one) && one.fingerprint === fingerprint);
    const isAgreed = known?.isAgreed ?? (await askForSetUp(folder, wanted, machine.name));
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

/** Shows all that is done, so that nothing of it comes as a surprise. */
function askForSetUp(
  folder: string,
  { extensions, secrets, script }: RepositorySetUp,
  machine: string,
): Promise<boolean> {
  return confirm({
    message: t(
      'Set up {0} as {1} wants it?',
      machine,
      `${plainLabel(basename(folder))}/${workspaceFilePath}`,
    ),
    detail: [
      ...(extensions.length > 0 ? [t('Installs extensions: {0}', extensions.join(', '))] : []),
      ...(secrets.length > 0 ? [t('Asks for secrets: {0}', secrets.join(', '))] : []),
      ...(script === '' ? [] : [t('Runs there, with any file of the folder that it names:'), plainLines(script)]),
      t('Your answer holds for this folder and account, until one of these lines changes.'),
    ].join('\n\n'),
    button: t('Set Up'),
  });
}
