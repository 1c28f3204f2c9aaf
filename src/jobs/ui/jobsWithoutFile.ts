import { lstat } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import type { DocumentTarget } from '../../commandSpecs';
import { t } from '../../editor/localize';
import { openNamedDocument } from '../../editor/namedDocument';
import { askLine } from '../../editor/quickPick';
import { scriptNeeds, type ScriptWishes } from '../../model/workspace/scriptNeeds';
import type { OpenRecipe } from '../../model/workspace/workspaceFile';
import { quoteForShell } from '../../ssh/commandLine';
import { interpreterFor } from '../../ssh/runFile';
import { byUv, uvSetup } from '../../ssh/uv';
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
