import { attemptBefore, attemptId } from './attemptIds';
import type { JobRow } from './job';
import { hardLimit, limitInputs } from './jobLimits';
import type { JobOrder } from './onMachine';

/** Returns the next attempt in the form for its machine, without secrets and without earlier jobs. */
export function jobOrder(row: JobRow, now: number): JobOrder {
  const { job, state } = row;
  const { spec } = job;
  const limit = hardLimit(...limitInputs(row, now));
  return {
    id: attemptId(job, state),
    name: spec.name,
    attempt: state.attempt,
    previous: attemptBefore(job, state),
    workspaceKey: job.workspaceKey,
    run: spec.run,
    setup: spec.setup,
    setupKey: job.setupKey,
    setupSeconds: limit?.setupSeconds ?? 0,
    limitSeconds: limit?.runSeconds ?? 0,
    graceSeconds: spec.graceSeconds,
    idleSeconds: (spec.idleMinutes ?? 0) * 60,
    endsIfIdle: spec.endsIfIdle,
    env: spec.env,
    secrets: {},
    after: [],
    outputs: spec.outputs,
  };
}
