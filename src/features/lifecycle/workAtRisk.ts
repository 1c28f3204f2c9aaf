import type { Question } from '../../editor/confirm';
import { localize } from '../../editor/localize';
import type { Instance } from '../../model/instances/instance';
import type { WorkLoss } from '../../store/instances/workOnInstances';
import type { LifecycleDeps } from './deps';

/** Adds to a question what would be lost of the work on the instances. */
export function withWorkAtRisk<Q extends Question>(
  { work }: Pick<LifecycleDeps, 'work'>,
  instances: readonly Instance[],
  loss: WorkLoss,
  question: Q,
): Q {
  const lines = instances.flatMap(({ id }) => work.atRisk(id, loss)).map((line) => `⚠ ${localize(line)}`);
  return lines.length === 0
    ? question
    : { ...question, detail: [...lines, '', question.detail ?? ''].join('\n') };
}
