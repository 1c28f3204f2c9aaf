import type { Question } from '../../editor/confirm';
import { localize } from '../../editor/localize';
import type { Instance } from '../../model/instances/instance';
import { riskText, type JobLoss } from '../../jobs/model/jobWords';
import type { LifecycleDeps } from './deps';

/** Adds to a question what jobs on the instances would lose. */
export function withJobsAtRisk<Q extends Question>(
  { jobs }: Pick<LifecycleDeps, 'jobs'>,
  instances: readonly Instance[],
  loss: JobLoss,
  question: Q,
): Q {
  const lines = instances
    .flatMap(({ id }) => jobs.atRiskOn(id))
    .flatMap((row) => riskText(row, loss) ?? [])
    .map((line) => `⚠ ${localize(line)}`);
  return lines.length === 0
    ? question
    : { ...question, detail: [...lines, '', question.detail ?? ''].join('\n') };
}
