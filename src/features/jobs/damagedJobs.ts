import * as vscode from 'vscode';
import { showInstances } from '../../editor/chooseInstance';
import { offerDamagedFiles } from '../../editor/damagedFiles';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import type { Disposable } from '../../util/disposable';
import { isLostHere } from '../../model/jobs/lostProgress';
import type { JobDeps } from './deps';
import { instanceAction } from './jobTold';

/** Names each job that is damaged or whose progress is lost once: its machine may still cost money. */
export function tellOfDamagedJobs({
  accounts,
  jobs,
  oneWindow,
}: Pick<JobDeps, 'accounts' | 'jobs' | 'oneWindow'>): Disposable {
  const tell = () => {
    const account = accounts.active?.key;
    if (account === undefined) {
      return;
    }
    offerDamagedFiles(oneWindow, `${account}:job`, jobs.damaged, {
      sentence: (path) =>
        t(
          'A job could not be read because its file is damaged. Its machine may still cost money. The file is kept as {0}.',
          path,
        ),
      next: showInstances(),
    });
    for (const row of jobs.rows.filter((one) => isLostHere(one) && one.state.why)) {
      const { job, state } = row;
      oneWindow.offer(`${account}:job:lost:${job.id}:${state.since}`, () => {
        const [instance = showInstances()] = instanceAction(row);
        message('warning', t('{0} is not continued. {1}', job.spec.name, state.why ?? ''), instance);
      });
    }
  };
  tell();
  return jobs.onDidChange(tell);
}

/** A row that stays for as long as the file is kept. */
export function damagedJobItem(path: string): vscode.TreeItem {
  const item = new vscode.TreeItem(t('Could not read a job'));
  item.id = `job-damaged-${path}`;
  item.iconPath = new vscode.ThemeIcon('warning');
  item.description = t('damaged file, kept as {0}', path);
  item.tooltip = item.description;
  return item;
}
