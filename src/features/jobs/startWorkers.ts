import * as vscode from 'vscode';
import type { WorkersTarget } from '../../commandArguments';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { askLine } from '../../editor/quickPick';
import { pullEngines } from '../../model/engines/pullEngines';
import { readJob } from '../../model/jobs/jobSpec';
import { accountFor } from '../../store/accounts/sameAccount';
import { askLimits } from './askLimits';
import type { JobDeps } from './deps';
import { isTrusted, runSource } from './runJob';

/** Starts a worker of a pull engine as a job on each instance. */
export async function startWorkers(deps: JobDeps, { engine, instanceIds }: WorkersTarget): Promise<void> {
  const account = accountFor(deps.accounts);
  const wanted = pullEngines.find(({ id }) => id === engine);
  const [first, ...others] = instanceIds.flatMap((id) => deps.fleet.find(id) ?? []);
  if (!wanted || !first || !isTrusted()) {
    return;
  }
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file');
  if (!folder) {
    message('info', t("Open the folder with the workers' code on this computer."));
    return;
  }
  const title = t('Start {0} on Each Instance', wanted.name);
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
    folder: folder.uri.fsPath,
    recipe: undefined,
    machines: [first, ...others],
  });
}
