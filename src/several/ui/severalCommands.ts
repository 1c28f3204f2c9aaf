import type { InstanceTarget } from '../../commandSpecs';
import { t } from '../../editor/localize';
import { onSeveral } from '../../editor/onSeveral';
import { askLine } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import { instanceName } from '../../model/instances/instanceLabel';
import { clientFor } from '../../store/accounts/sameAccount';
import { safeFileName } from '../../util/fileName';
import { scriptLines } from '../../util/scriptLines';
import { chooseHosts } from './chooseHosts';
import type { SeveralDeps } from './deps';
import { entriesOf, unreached } from './reached';

type Rows = readonly [InstanceTarget | undefined, (readonly InstanceTarget[])?];

/** Time limit (ms); longer work belongs in a job, which continues without this window. */
const commandMs = 10 * 60_000;
const logLines = 1000;

/** Runs one command on each machine over SSH. */
export async function runOnSeveral(deps: SeveralDeps, ...[target, all]: Rows): Promise<void> {
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

/** Shows the end of each instance's log, read from the service. */
export async function logsOfSeveral(deps: SeveralDeps, ...[target, all]: Rows): Promise<void> {
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
