import * as vscode from 'vscode';
import { showInstances } from '../../editor/chooseInstance';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import type { Disposable } from '../../util/disposable';
import type { JobDeps } from './deps';

/** Names each damaged file of a job once: its machine may still cost money. */
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
    for (const path of jobs.damaged) {
      oneWindow.offer(`${account}:job:damaged:${path}`, () => {
        message(
          'warning',
          t(
            'A job could not be read because its file is damaged. Its machine may still cost money. The file is kept as {0}.',
            path,
          ),
          showInstances(),
        );
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
