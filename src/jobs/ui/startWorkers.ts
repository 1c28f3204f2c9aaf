import * as vscode from 'vscode';
import type { WorkersTarget } from '../../commandArguments';
import { localize, t } from '../../editor/localize';
import { pickLocal } from '../../editor/pickLocal';
import { askLine, pickFromList } from '../../editor/quickPick';
import { pullEngines } from '../../several/model/pullEngines';
import { readJob } from '../model/jobSpec';
import { accountFor } from '../../store/accounts/sameAccount';
import { askLimits } from './askLimits';
import type { JobDeps } from './deps';
import { isTrusted, runSource } from './runJob';
import { plainLabel } from '../../util/plainLabel';

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
        ? t('Type a command.')
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
