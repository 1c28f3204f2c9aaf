import { commandAction } from '../../editor/commands';
import { localize, t } from '../../editor/localize';
import { machineOf, type JobRow } from '../model/job';
import { leftOutText } from './jobItems';
import { instanceAction, logAction, type ToldOfJob } from './jobTold';

export type AgainKind = 'fetchedAgain' | 'notFetchedAgain';

/** Tells what came of a fetch of outputs after the end of a job. */
export function againWords(row: JobRow, kind: AgainKind): ToldOfJob {
  const { job, state } = row;
  const { name } = job.spec;
  if (kind === 'notFetchedAgain') {
    const why = state.reopened?.why;
    return {
      level: 'warning',
      sentence: t('Could not fetch the outputs of {0} again. {1}', name, why ? localize(why) : ''),
      actions: [...instanceAction(row), logAction(row)],
    };
  }
  const { files = 0, leftOut = 0 } = state.outputs ?? {};
  const machine = afterwardsSentence(row);
  if (leftOut > 0) {
    const left = leftOutText(row) ?? '';
    return {
      level: 'warning',
      sentence: t('Some outputs of {0} could not be fetched again. {1} {2}', name, machine, left).trim(),
      actions: [logAction(row)],
    };
  }
  return files === 0
    ? {
        level: 'warning',
        sentence: t('No outputs of {0} were found. {1}', name, machine).trim(),
        actions: [logAction(row)],
      }
    : {
        level: 'info',
        sentence: t('Fetched the outputs of {0} again. {1}', name, machine).trim(),
        actions: [commandAction(t('Open Outputs'), 'gpuRental.job.openOutputs', { jobId: job.id })],
      };
}

/** A machine that ends has its own message. */
function afterwardsSentence(row: JobRow): string {
  const { job } = row;
  return job.machineEnd !== undefined || job.reopen?.isStarted
    ? ''
    : t('{0} was left as it is.', machineOf(row).name);
}
