import { lstat } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import type { DocumentTarget, WorkersTarget } from '../../commandSpecs';
import { localize, t } from '../../editor/localize';
import { openNamedDocument } from '../../editor/namedDocument';
import { pickLocal } from '../../editor/pickLocal';
import { askLine, pickFromList } from '../../editor/quickPick';
import { scriptNeeds, type ScriptWishes } from '../../model/workspace/scriptNeeds';
import type { OpenRecipe } from '../../model/workspace/workspaceFile';
import { pullEngines } from '../../several/model/pullEngines';
import { quoteForShell } from '../../ssh/commandLine';
import { interpreterFor } from '../../ssh/runFile';
import { byUv, uvSetup } from '../../ssh/uv';
import { accountFor } from '../../store/accounts/sameAccount';
import { UserError } from '../../util/errors';
import { ifPresent } from '../../util/missing';
import { plainLabel } from '../../util/plainLabel';
import { text } from '../../util/text';
import { jobNameOf, mostJobHours } from '../model/jobFields';
import { readJob } from '../model/jobSpec';
import type { JobDeps } from './deps';
import { machineInFile } from './jobSource';
import { isTrusted, runSource } from './runJob';

/** Runs a script of the workspace as a job, after asking for its limits. */
export async function runFileAsJob(deps: JobDeps, { uri }: DocumentTarget): Promise<string | undefined> {
  const document = await openNamedDocument(uri);
  const folder = vscode.workspace.getWorkspaceFolder(document.uri);
  if (!folder || !isTrusted()) {
    return undefined;
  }
  const path = relative(folder.uri.fsPath, document.uri.fsPath).split(sep).join('/');
  const name = jobNameOf(path.split('/').at(-1) ?? '', 'script');
  const needs = scriptNeeds(path, document.getText());
  const interpreter = needs ? byUv(needs) : interpreterFor(path, document.getText());
  const machine = needs?.wanted.machine;
  const inFile = machine === undefined ? undefined : await machineInFile(folder.uri, machine);
  const recipe = inFile ?? (await recipeNamed(deps, machine));
  const limits = await askLimits(t('Run {0} as a Job', name), needs?.wanted.limits);
  if (!limits) {
    return undefined;
  }
  const hasLock = (await ifPresent(lstat(`${document.uri.fsPath}.lock`))) !== undefined;
  const more = needs && {
    setup: uvSetup,
    outputs: needs.wanted.outputs,
    // Git may ignore it.
    sync: hasLock ? { include: [`/${path.replace(/[\\*?[\] ]/g, '\\$&')}.lock`] } : undefined,
  };
  const run = `${interpreter} ${quoteForShell(`./${path}`)}`;
  const source = JSON.stringify({ jobs: { [name]: { run, limits, ...more } } });
  const spec = { ...readJob(source, name), ...(inFile && machine !== undefined && onMachine(machine)) };
  return runSource(deps, { spec, folder: folder.uri.fsPath, recipe });
}

const onMachine = (machineName: string) => ({ machine: 'running', machineName }) as const;

/** Returns the recipe of a template of the account, which a script names. */
async function recipeNamed(
  { templates }: Pick<JobDeps, 'templates'>,
  name: string | undefined,
): Promise<OpenRecipe | undefined> {
  if (name === undefined) {
    return undefined;
  }
  if (templates.state.kind !== 'ready') {
    await templates.refresh();
  }
  const own = templates.state.kind === 'ready' ? templates.state.value : [];
  const template = own.find((one) => one.name === name);
  if (!template) {
    throw new UserError(
      text('No machine of the workspace and no template of this account has the name {0}.', plainLabel(name)),
    );
  }
  return { template: { id: template.id, name }, filters: {}, env: {}, whenRunning: 'ask' };
}

/** Starts a worker of a pull engine as a job on each instance. */
export async function startWorkers(deps: JobDeps, { engine, instanceIds }: WorkersTarget): Promise<void> {
  const account = accountFor(deps.accounts);
  const wanted = pullEngines.find(({ id }) => id === engine);
  const [first, ...others] = instanceIds.flatMap((id) => deps.fleet.find(id) ?? []);
  if (!wanted || !first || !isTrusted()) {
    return;
  }
  const title = t('Start {0} on Each Instance', wanted.name);
  const folder = await askCodeFolder(title);
  if (folder === undefined) {
    return;
  }
  const run = await askLine({
    title,
    prompt: localize(wanted.prompt),
    value: wanted.command,
    ignoreFocusOut: true,
    problem: (value) =>
      value.trim() === ''
        ? t('Enter a value.')
        : /<\w+>/.test(value)
          ? t('Replace the text in angle brackets.')
          : undefined,
  });
  const limits = run === undefined ? undefined : await askLimits(title);
  if (run === undefined || !limits) {
    return;
  }
  const { jobName, setup, secrets } = wanted;
  const WORKER = [first, ...others].map((_, index) => String(index + 1));
  const job = { run: run.trim(), setup, secrets, limits, outputs: [], matrix: { WORKER } };
  const source = JSON.stringify({ jobs: { [jobName]: { ...job, maxParallel: WORKER.length } } });
  account();
  await runSource(deps, {
    spec: readJob(source, jobName),
    folder,
    recipe: undefined,
    machines: [first, ...others],
  });
}

/**
 * Returns the folder that is sent: the open one of this computer, or one that the user picks, as in the window of a
 * rented machine.
 */
async function askCodeFolder(title: string): Promise<string | undefined> {
  const open = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  const [only] = open;
  if (only && open.length === 1) {
    return only.uri.fsPath;
  }
  if (!only) {
    const [chosen] = await pickLocal({
      title: t("Folder with the workers' code"),
      openLabel: t('Use This Folder'),
      canSelectFiles: false,
      canSelectFolders: true,
    });
    return chosen?.fsPath;
  }
  const answer = await pickFromList<string>({
    title,
    placeholder: t("Which folder has the workers' code?"),
    rows: open.map(({ name, uri: { fsPath } }) => ({
      id: fsPath,
      icon: 'root-folder',
      label: plainLabel(name),
      description: fsPath,
      value: fsPath,
    })),
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}

/** Asks for the limits of a job that no file describes, up to those of a script; `undefined` if the user canceled. */
export async function askLimits(
  title: string,
  most: ScriptWishes['limits'] = {},
  proposed = 6,
): Promise<{ readonly hours: number; readonly costDollars: number } | undefined> {
  const hours = await askAmount(title, t('Maximum run time in hours'), proposed, most.hours);
  const costDollars =
    hours === undefined
      ? undefined
      : await askAmount(title, t('Maximum cost in dollars'), 5, most.costDollars);
  return hours === undefined || costDollars === undefined ? undefined : { hours, costDollars };
}

export async function askAmount(
  title: string,
  prompt: string,
  value: number,
  most = mostJobHours,
): Promise<number | undefined> {
  const limit = Math.min(most, mostJobHours);
  const typed = await askLine({
    title,
    prompt,
    value: String(Math.min(value, limit)),
    problem: (line) =>
      Number(line) > 0 && Number(line) <= limit
        ? undefined
        : t('Enter a number above 0 and at most {0}.', limit),
  });
  return typed === undefined ? undefined : Number(typed);
}
