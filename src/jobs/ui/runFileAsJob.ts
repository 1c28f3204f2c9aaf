import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import type { DocumentTarget } from '../../commandArguments';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { openNamedDocument } from '../../editor/namedDocument';
import { jobNameOf } from '../model/jobFields';
import { readJob } from '../model/jobSpec';
import { quoteForShell } from '../../ssh/commandLine';
import { interpreterFor } from '../../ssh/runFile';
import { askLimits } from './askLimits';
import type { JobDeps } from './deps';
import { isTrusted, runSource } from './runJob';

/** Runs a script of the workspace as a job, after asking for its limits. */
export async function runFileAsJob(
  deps: JobDeps,
  target: DocumentTarget | undefined,
): Promise<string | undefined> {
  if (!isTrusted()) {
    return undefined;
  }
  const document = target ? await openNamedDocument(target.uri) : vscode.window.activeTextEditor?.document;
  const folder = document && vscode.workspace.getWorkspaceFolder(document.uri);
  if (!folder || document.uri.scheme !== 'file') {
    message('info', t('Open a script of a folder on this computer to run it as a job.'));
    return undefined;
  }
  const path = relative(folder.uri.fsPath, document.uri.fsPath).split(sep).join('/');
  const name = jobNameOf(path.split('/').at(-1) ?? '', 'script');
  const interpreter = interpreterFor(path, document.getText());
  const limits = await askLimits(t('Run {0} as a Job', name));
  if (!limits) {
    return undefined;
  }
  const run = `${interpreter} ${quoteForShell(`./${path}`)}`;
  const source = JSON.stringify({ jobs: { [name]: { run, limits } } });
  return runSource(deps, { spec: readJob(source, name), folder: folder.uri.fsPath, recipe: undefined });
}
