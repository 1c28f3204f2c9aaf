import * as vscode from 'vscode';
import { showInstances } from '../../editor/chooseInstance';
import { reportDamagedFiles, showDamagedFile } from '../../editor/damagedFiles';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { isLostHere } from '../model/lostProgress';
import type { JobDeps } from './deps';
import { instanceAction } from './jobMessage';

type Deps = Pick<JobDeps, 'accounts' | 'jobs' | 'oneWindow'>;

/** Names each job that is damaged or whose progress is lost once: its machine may still cost money. */
export function reportDamagedJobs(deps: Deps): Disposable {
  const store = new DisposableStore();
  store.add(
    reportDamagedFiles(deps, deps.jobs, 'job', {
      effect: t('A job is missing from the list, and its machine may still cost money.'),
      next: showInstances(),
    }),
  );
  const report = () => {
    reportLostProgress(deps);
  };
  report();
  store.add(deps.jobs.onDidChange(report));
  return store;
}

function reportLostProgress({ accounts, jobs, oneWindow }: Deps): void {
  const account = accounts.active?.key;
  if (account === undefined) {
    return;
  }
  for (const row of jobs.rows.filter((one) => isLostHere(one) && one.state.why)) {
    const { job, state } = row;
    oneWindow.offer(`${account}:job:lost:${job.id}:${state.since}`, () => {
      const [instance = showInstances()] = instanceAction(row);
      const effect = t('{0} is not continued. {1}', job.spec.name, state.why ?? '');
      if (state.setAside === undefined) {
        message('warning', effect, instance);
      } else {
        showDamagedFile(state.setAside, { effect, next: instance });
      }
    });
  }
}

/** A row that stays for as long as the file is kept. */
export function damagedJobItem(path: string): vscode.TreeItem {
  const item = new vscode.TreeItem(t('Could not read the list'));
  item.id = `job-damaged-${path}`;
  item.iconPath = new vscode.ThemeIcon('warning');
  item.tooltip = path;
  item.command = {
    command: 'vscode.open',
    title: t('Show File'),
    arguments: [vscode.Uri.file(path)],
  };
  return item;
}
