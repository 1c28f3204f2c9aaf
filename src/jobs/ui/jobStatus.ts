import { localize, t } from '../../editor/localize';
import { formatMoney } from '../../model/money';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { durationText, redrawAt } from '../../util/duration';
import { plainLabel } from '../../util/plainLabel';
import { needsYou } from '../model/job';
import { jobCost, jobMs } from '../model/jobLimits';
import { phaseText } from '../model/jobText';
import type { JobDeps } from './deps';

/**
 * Shows running jobs with elapsed time and cost; a click opens the view. The view's badge counts jobs that need
 * attention.
 */
export function showJobStatus({
  jobs,
  clock,
  trees,
  statusItem,
}: Pick<JobDeps, 'jobs' | 'clock' | 'trees' | 'statusItem'>): Disposable {
  const store = new DisposableStore();
  store.add(statusItem.owned('jobs'));
  const command = { command: 'gpuRental.jobs.focus', title: t('Show Jobs') };
  const timer = store.add(new MutableDisposable<Disposable>());
  const { view } = trees['gpuRental.jobs'];
  const show = () => {
    const { now, nextInMs } = redrawAt(clock.now());
    const { open } = jobs;
    const waiting = open.filter((row) => needsYou(row));
    const [first] = waiting.length > 0 ? waiting : open;
    view.badge =
      waiting.length === 0
        ? undefined
        : {
            value: waiting.length,
            tooltip: t('Jobs that need attention: {0}', waiting.length),
          };
    timer.value = first && clock.schedule(show, nextInMs);
    if (!first) {
      statusItem.set('jobs', undefined);
      return;
    }
    const cost = jobCost(first, now);
    const used = first.state.isLost
      ? []
      : [localize(durationText(jobMs(first, now))), ...(cost === undefined ? [] : [formatMoney(cost)])];
    const more = open.length > 1 ? ` +${open.length - 1}` : '';
    const name = plainLabel(first.job.spec.name);
    const tooltip = [`${name}: ${localize(phaseText(first))}`, ...used].join(', ');
    statusItem.set('jobs', {
      text: `${[`$(beaker) ${name}`, used.join(' · ')].join(' ').trim()}${more}`,
      tooltip: `${tooltip}${more}`,
      spoken: tooltip,
      isWarning: waiting.length > 0,
      command,
    });
  };
  store.add(jobs.onDidChange(show));
  show();
  return store;
}
