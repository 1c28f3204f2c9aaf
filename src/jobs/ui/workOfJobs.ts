import { runCommand } from '../../editor/commands';
import type { InstanceWork } from '../../store/instances/workOnInstances';
import { text } from '../../util/text';
import { guardedRental } from '../guardedRental';
import { parseJobs } from '../machine/otherJobs';
import { jobPrograms } from '../machine/programs';
import { machineOf } from '../model/job';
import { machinePlanText, mayEndMachine, otherJobText, phaseText, riskText } from '../model/jobText';
import type { Jobs } from '../store/jobs';

/**
 * Returns what jobs would lose with their instances: jobs of this computer, and those of others that machines report.
 */
export function workOfJobs(
  jobs: Pick<Jobs, 'atRiskOn' | 'error' | 'find' | 'onDidChange' | 'open' | 'ready' | 'rows'>,
) {
  return {
    ready: () => jobs.ready,
    atRisk: (instanceId, loss) => jobs.atRiskOn(instanceId).flatMap((row) => riskText(row, loss) ?? []),
    rows: (instanceId) =>
      jobs.rows
        // The models wing shows what serves a model.
        .filter((row) => machineOf(row).instanceId === instanceId && !row.job.serves)
        .map((row) => ({
          id: row.job.id,
          name: row.job.spec.name,
          state: phaseText(row),
          ...(mayEndMachine(row) ? { ends: machinePlanText(row) } : {}),
          open: {
            name: text('Show Log of Job'),
            run: () => runCommand('gpuRental.job.showLog', { jobId: row.job.id }),
          },
        })),
    probe: {
      script: jobPrograms.others,
      // Those of this computer are listed whether the machine answers or not.
      read: (lines) =>
        parseJobs(lines)
          .filter(({ id }) => jobs.find(id.slice(0, 16)) === undefined)
          .map(otherJobText),
    },
    afterSignOut: () =>
      jobs.open.length === 0
        ? undefined
        : text(
            'Unfinished jobs keep running, but their outputs are no longer fetched: {0}.',
            jobs.open.map(({ job }) => job.spec.name).join(', '),
          ),
    guarded: guardedRental,
    isPending: () => jobs.open.length > 0 || (jobs.error === undefined ? false : undefined),
    onDidChange: jobs.onDidChange,
  } satisfies InstanceWork;
}
