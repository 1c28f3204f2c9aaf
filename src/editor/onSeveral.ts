import type { Instance } from '../model/instances/instance';
import { nameAmong } from '../model/instances/instanceLabel';
import { isCancelled } from '../util/errors';
import { inParallel } from '../util/inParallel';
import { plainLabel } from '../util/plainLabel';
import { runCommand } from './commands';
import { reasonOf, t } from './localize';
import { withCancellableProgress } from './progress';
import { pickFromList } from './quickPick';
import { loginsAtOnce } from './reachSeveral';

/** The outcome on one machine. */
export interface MachineOutcome {
  readonly isOk: boolean;
  /** Text beside the name of the machine. */
  readonly summary: string;
  /** Full output, shown as a document. */
  readonly output: string;
}

export interface Several {
  /** Title of the progress. */
  readonly doing: string;
  /** Title of the results. */
  readonly done: string;
  readonly fileName: (instance: Instance) => string;
  readonly work: (instance: Instance, signal: AbortSignal) => Promise<MachineOutcome>;
  /** What can be done about all of it afterwards. */
  readonly after?: { readonly icon: string; readonly label: string; readonly run: () => Promise<void> };
}

/**
 * Runs the same work on each machine and shows a row for each result, with a retry of the failed
 * ones. The rows are shown again after the output of one: nothing else holds those of the others.
 */
export async function onSeveral(instances: readonly Instance[], several: Several): Promise<void> {
  const outcomes = new Map<number, MachineOutcome>();
  const { after } = several;
  await attempt(instances, outcomes, several);
  let activeId: string | undefined;
  for (;;) {
    const chosen = await showResults(instances, outcomes, several, activeId);
    if (chosen === undefined) {
      return;
    }
    if (chosen === 'after') {
      await after?.run();
      return;
    }
    if (chosen === 'retry') {
      const failed = instances.filter(({ id }) => outcomes.get(id)?.isOk !== true);
      await attempt(failed, outcomes, several);
    } else {
      await runCommand('gpuRental.showText', {
        title: several.fileName(chosen),
        content: outcomes.get(chosen.id)?.output ?? '',
      });
      if (instances.length === 1) {
        return;
      }
      activeId = String(chosen.id);
    }
  }
}

async function attempt(
  instances: readonly Instance[],
  outcomes: Map<number, MachineOutcome>,
  { doing, work }: Several,
): Promise<void> {
  let done = 0;
  await withCancellableProgress(doing, async (signal, report) => {
    const showProgress = () => {
      report(t('{0} of {1} done', done, instances.length));
    };
    showProgress();
    await inParallel(instances, loginsAtOnce, async (instance) => {
      outcomes.set(instance.id, await outcomeOf(instance, work, signal));
      done += 1;
      showProgress();
    });
  });
}

async function outcomeOf(
  instance: Instance,
  work: Several['work'],
  signal: AbortSignal,
): Promise<MachineOutcome> {
  try {
    if (!signal.aborted) {
      return await work(instance, signal);
    }
  } catch (error) {
    if (!isCancelled(error)) {
      const reason = reasonOf(error) ?? t('failed');
      return { isOk: false, summary: reason, output: reason };
    }
  }
  return { isOk: false, summary: t('canceled'), output: t('canceled') };
}

async function showResults(
  instances: readonly Instance[],
  outcomes: ReadonlyMap<number, MachineOutcome>,
  { done: title, after }: Several,
  activeId: string | undefined,
): Promise<Instance | 'retry' | 'after' | undefined> {
  const failed = instances.filter(({ id }) => outcomes.get(id)?.isOk !== true).length;
  const answer = await pickFromList<Instance | 'retry' | 'after'>({
    title,
    placeholder:
      failed === 0
        ? t('Done on all {0}. Select one to see its output.', instances.length)
        : t('Done on {0} of {1}. Select one to see its output.', instances.length - failed, instances.length),
    ignoreFocusOut: true,
    ...(activeId === undefined ? {} : { activeId }),
    rows: [
      ...(failed === 0
        ? []
        : [
            {
              id: 'retry',
              icon: 'refresh',
              label: t('Retry Failed'),
              description: String(failed),
              value: 'retry' as const,
            },
          ]),
      ...instances.map((instance) => {
        const outcome = outcomes.get(instance.id);
        return {
          id: String(instance.id),
          icon: outcome?.isOk === true ? 'pass' : 'error',
          label: plainLabel(nameAmong(instance, instances)),
          description: outcome?.summary ?? '',
          value: instance,
        };
      }),
      ...(after === undefined || failed === instances.length
        ? []
        : [{ id: 'after', icon: after.icon, label: after.label, value: 'after' as const }]),
    ],
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}
