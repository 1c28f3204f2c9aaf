import type { InstanceTarget } from '../../commandSpecs';
import { filesText } from '../../editor/filesText';
import { localize, t } from '../../editor/localize';
import { pickLocal } from '../../editor/pickLocal';
import { askLine } from '../../editor/quickPick';
import { reachOneOf } from '../../editor/reachSeveral';
import { confirmReplacingOnAll, replacingQuestion } from '../../editor/replacingQuestion';
import { titleOf } from '../../editor/titles';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { chosenFiles } from '../../ssh/fileTree';
import { isRemotePath } from '../../ssh/remoteFolders';
import { FilesKeptError } from '../../ssh/transfer';
import { upload } from '../../ssh/upload';
import { accountFor, clientFor } from '../../store/accounts/sameAccount';
import { safeFileName } from '../../util/fileName';
import { plainLabel } from '../../util/plainLabel';
import { scriptLines } from '../../util/scriptLines';
import { chooseHosts } from './chooseHosts';
import type { EngineDeps } from './deps';
import { onSeveral, type MachineOutcome } from './onSeveral';

type Rows = readonly [InstanceTarget | undefined, (readonly InstanceTarget[])?];

/** Time limit (ms); longer work belongs in a job, which continues without this window. */
const commandMs = 10 * 60_000;
const logLines = 1000;

/** Runs one command on each machine over SSH. */
export async function runOnSeveral(deps: EngineDeps, ...[target, all]: Rows): Promise<void> {
  const title = titleOf('gpuRental.instances.runCommand');
  const entryOf = entriesOf(deps);
  const instances = await chooseHosts(deps, target, all, title);
  const command =
    instances.length === 0
      ? undefined
      : await askLine({
          title,
          prompt: t('The command runs on each instance over SSH, for at most 10 minutes.'),
          placeholder: 'nvidia-smi -L',
          ignoreFocusOut: true,
          problem: (value) => (value.trim() === '' ? t('Enter a value.') : undefined),
        });
  if (command === undefined) {
    return;
  }
  await onSeveral(instances, {
    doing: t('Running: {0}', command.trim()),
    done: t('Results: {0}', command.trim()),
    fileName: (instance) => `${safeFileName(instanceName(instance), 'instance')}.txt`,
    work: async (instance, signal) => {
      const reached = await entryOf(instance, signal);
      if ('problem' in reached) {
        return unreached(reached.problem);
      }
      const { alias } = reached;
      const {
        code,
        stdout,
        stderr,
        timedOut,
        isCut = false,
      } = await deps.presence.during(alias, () =>
        deps.ssh.exec(alias, scriptLines(command), {
          usesAgent: true,
          usesLoginShell: true,
          keepsEnd: true,
          signal,
          timeoutMs: commandMs,
        }),
      );
      const cut = isCut ? `${t('[The beginning is omitted.]')}\n` : '';
      const output = `$ ${command.trim()}\n${cut}${stdout}${stderr}`;
      if (timedOut) {
        return { isOk: false, summary: t('not finished after 10 minutes'), output };
      }
      return code === 0
        ? { isOk: true, summary: (isCut ? lastLine : firstLine)(stdout) ?? t('no output'), output }
        : { isOk: false, summary: failure(code, stderr), output };
    },
  });
}

/** Copies files of this computer into a folder on each machine. */
export async function copyToSeveral(deps: EngineDeps, ...[target, all]: Rows): Promise<void> {
  const title = titleOf('gpuRental.instance.upload');
  const entryOf = entriesOf(deps);
  const instances = await chooseHosts(deps, target, all, title);
  const chosen =
    instances.length === 0 ? [] : await pickLocal({ title, openLabel: title, canSelectMany: true });
  const locals = await chosenFiles(chosen.map(({ fsPath }) => fsPath));
  const folder =
    locals.length === 0
      ? undefined
      : await askLine({
          title,
          prompt: t('Target folder. It is created if it is missing.'),
          value: '/workspace',
          ignoreFocusOut: true,
          problem: (value) =>
            isRemotePath(value.trim()) ? undefined : t('Enter a full path, such as /workspace.'),
        });
  if (folder === undefined) {
    return;
  }
  const into = folder.trim();
  const mayReplace = replacingOn(instances);
  await onSeveral(instances, {
    doing: t('Uploading to {0}', into),
    done: t('Results: {0}', t('Copy to {0}', into)),
    fileName: (instance) => `${safeFileName(instanceName(instance), 'instance')}.txt`,
    work: async (instance, signal): Promise<MachineOutcome> => {
      const reached = await entryOf(instance, signal);
      if ('problem' in reached) {
        return unreached(reached.problem);
      }
      const { alias } = reached;
      const { ssh, clock } = deps;
      const transferDeps = { ssh, clock, platform: process.platform };
      const outcome = await deps.presence
        .during(alias, () =>
          upload(transferDeps, alias, locals, into, {
            signal,
            mayReplace: (names) => mayReplace(instance, names, signal),
          }),
        )
        .catch((error: unknown) => {
          if (error instanceof FilesKeptError) {
            return undefined;
          }
          throw error;
        });
      if (!outcome) {
        const kept = t('nothing copied, to keep existing files');
        return { isOk: false, summary: kept, output: kept };
      }
      const { files, leftOut, notKept } = outcome;
      const summary = filesText(files);
      return leftOut.length === 0
        ? { isOk: true, summary, output: [summary, into, ...(notKept ? [localize(notKept)] : [])].join('\n') }
        : {
            isOk: false,
            summary: t('{0}, left out: {1}', summary, leftOut.length),
            output: leftOut.map(({ name, why }) => t('{0} ({1})', name, why)).join('\n'),
          };
    },
  });
}

/**
 * Returns the question before files are replaced. Several instances share one answer in each attempt, which its signal
 * identifies.
 */
function replacingOn(instances: readonly Instance[]) {
  const nameOf = (instance: Instance) => plainLabel(instanceName(instance));
  const [only] = instances;
  const ofOne = replacingQuestion(only && nameOf(only));
  const answers = new Map<AbortSignal, Promise<boolean>>();
  return (instance: Instance, names: readonly string[], attempt: AbortSignal): Promise<boolean> => {
    if (instances.length === 1) {
      return ofOne(names);
    }
    const answer = answers.get(attempt) ?? confirmReplacingOnAll(nameOf(instance), names);
    answers.set(attempt, answer);
    return answer;
  };
}

/** Shows the end of each instance's log, read from the service. */
export async function logsOfSeveral(deps: EngineDeps, ...[target, all]: Rows): Promise<void> {
  const client = clientFor(deps.accounts);
  const title = titleOf('gpuRental.instances.showLogs');
  const instances = await chooseHosts(deps, target, all, title);
  if (instances.length === 0) {
    return;
  }
  await onSeveral(instances, {
    doing: titleOf('gpuRental.instances.showLogs'),
    done: t('Results: {0}', title),
    fileName: (instance) => `${safeFileName(instanceName(instance), 'instance')}.log`,
    work: async (instance, signal) => {
      const output = await client().instances.logs(instance.id, { tail: logLines }, { signal });
      return { isOk: true, summary: lastLine(output) ?? t('The log is empty.'), output };
    },
  });
}

/**
 * Returns what gives the alias of an instance; call this before asking the user. A number of one account may be another
 * machine of another account, which the rows of results outlast.
 */
function entriesOf({ accounts }: Pick<EngineDeps, 'accounts'>) {
  const account = accountFor(accounts);
  return async ({ id }: Instance, signal: AbortSignal) => {
    const reached = await reachOneOf(id, account().key, signal);
    account();
    return reached;
  };
}

function unreached(problem: string): MachineOutcome {
  return { isOk: false, summary: problem, output: problem };
}

/** Describes a failure. Exit code 255 means that ssh itself failed; its last line is the reason. */
function failure(code: number | null, stderr: string): string {
  const last = lastLine(stderr);
  if (code === 255) {
    return last ?? t('could not log in');
  }
  const ended = code === null ? t('ended by a signal') : t('exit code {0}', code);
  return last === undefined ? ended : t('{0}: {1}', ended, last);
}

function firstLine(output: string): string | undefined {
  return linesOf(output)[0];
}

function lastLine(output: string): string | undefined {
  return linesOf(output).at(-1);
}

function linesOf(output: string): readonly string[] {
  return output
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
