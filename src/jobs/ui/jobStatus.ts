import * as vscode from 'vscode';
import { localize, t } from '../../editor/localize';
import { formatMoney } from '../../model/money';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { durationText } from '../../util/duration';
import { plainLabel } from '../../util/plainLabel';
import { needsYou } from '../model/job';
import { jobCost, jobMs } from '../model/jobLimits';
import { phaseText } from '../model/jobText';
import type { JobDeps } from './deps';

/** How often elapsed time and cost are updated (ms). */
const tickMs = 10_000;

/**
 * Shows running jobs with elapsed time and cost; a click opens the view. The view's badge counts jobs that need
 * attention.
 */
export function showJobStatus({ jobs, clock, trees }: Pick<JobDeps, 'jobs' | 'clock' | 'trees'>): Disposable {
  const store = new DisposableStore();
  const item = store.add(
    vscode.window.createStatusBarItem('gpuRental.jobs', vscode.StatusBarAlignment.Left, 9),
  );
  item.name = t('GPU Rental Jobs');
  item.command = 'gpuRental.jobs.focus';
  const timer = store.add(new MutableDisposable<Disposable>());
  const { view } = trees['gpuRental.jobs'];
  const show = () => {
    const now = clock.now();
    const { open } = jobs;
    const waiting = open.filter((row) => needsYou(row));
    const [first] = waiting.length > 0 ? waiting : open;
    view.badge =
      waiting.length === 0
        ? undefined
        : {
            value: waiting.length,
            tooltip:
              waiting.length === 1
                ? t('1 job needs attention')
                : t('{0} jobs need attention', waiting.length),
          };
    timer.value = first && clock.schedule(show, tickMs);
    if (!first) {
      item.hide();
      return;
    }
    const cost = jobCost(first, now);
    const used = first.state.isLost
      ? []
      : [localize(durationText(jobMs(first, now))), ...(cost === undefined ? [] : [formatMoney(cost)])];
    const more = open.length > 1 ? ` +${open.length - 1}` : '';
    const name = plainLabel(first.job.spec.name);
    item.text = `${[`$(beaker) ${name}`, used.join(' · ')].join(' ').trim()}${more}`;
    item.tooltip = `${name}: ${localize(phaseText(first))}`;
    item.accessibilityInformation = { label: [item.tooltip, ...used].join(', '), role: 'button' };
    item.backgroundColor =
      waiting.length > 0 ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    item.show();
  };
  store.add(jobs.onDidChange(show));
  show();
  return store;
}
