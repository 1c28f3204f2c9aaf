import { reasonOf, t } from '../../editor/localize';
import { ask } from '../../editor/message';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { isCancelled } from '../../util/errors';
import type { LifecycleDeps } from './deps';

export type RowResult<T> = { readonly instance: Instance } & (
  { readonly kind: 'done'; readonly value: T } | { readonly kind: 'failed'; readonly error: unknown }
);

/** Runs the action on one instance at a time, because the service limits calls. A failure does not stop the others. */
export async function runEach<T>(
  instances: readonly Instance[],
  action: (instance: Instance) => Promise<T>,
  signal?: AbortSignal,
): Promise<readonly RowResult<T>[]> {
  const results: RowResult<T>[] = [];
  for (const instance of instances) {
    if (signal?.aborted === true) {
      break;
    }
    try {
      results.push({ instance, kind: 'done', value: await action(instance) });
    } catch (error) {
      results.push({ instance, kind: 'failed', error });
    }
  }
  return results;
}

/** Reports failures: a single one as its own error, several as one message with a line each. */
export function reportFailures(
  deps: Pick<LifecycleDeps, 'report' | 'log'>,
  title: string,
  results: readonly RowResult<unknown>[],
): void {
  const failed = results.filter((row) => row.kind === 'failed').filter(({ error }) => !isCancelled(error));
  const [first] = failed;
  if (failed.length === 1 && results.length === 1 && first) {
    deps.report.error(first.error);
    return;
  }
  if (failed.length > 0) {
    for (const { error, instance } of failed) {
      deps.log.error(`Instance ${instance.id}`, error);
    }
    const lines = failed.map(({ instance, error }) => `${instanceName(instance)}: ${reasonInRow(error)}`);
    void ask('error', { message: title, detail: lines.join('\n') });
  }
}

export function reasonInRow(error: unknown): string {
  return reasonOf(error) ?? t('See the log for details.');
}
