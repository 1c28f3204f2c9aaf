import * as vscode from 'vscode';
import { unreadRow } from '../../editor/listRows';
import { t } from '../../editor/localize';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { redrawAt } from '../../util/duration';
import type { JobRow } from '../model/job';
import { remainingMachine } from '../store/remainingMachine';
import { damagedJobItem } from './damagedJobs';
import type { JobDeps } from './deps';
import {
  jobGroupItem,
  groupOf,
  jobItem,
  jobPartItem,
  rowsBelow,
  type JobGroup,
  type JobPart,
} from './jobItems';

export type JobNode =
  | { readonly jobGroup: JobGroup }
  | { readonly jobId: string }
  | { readonly partOf: string; readonly part: JobPart }
  | { readonly jobsUnread: true }
  | { readonly damagedJob: string };

const groups: readonly JobGroup[] = ['running', 'needsYou', 'finished'];

/** The jobs of the active account. */
export class JobTree implements vscode.TreeDataProvider<JobNode>, vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new vscode.EventEmitter<JobNode | undefined>());
  private readonly timer = this.store.add(new MutableDisposable<Disposable>());
  readonly onDidChangeTreeData = this.changed.event;
  /** Whether the outputs of a job can be fetched after its end, as last shown. */
  private readonly fetchable = new Map<string, boolean>();
  private readonly nodes = new Map<string, JobNode>();

  constructor(
    private readonly deps: Pick<JobDeps, 'jobs' | 'clock' | 'fleet' | 'rentals'>,
    private readonly isVisible: () => boolean,
  ) {
    this.store.add(deps.jobs.onDidChange(() => this.refresh()));
    this.store.add(deps.fleet.onDidChange(() => this.followMachines()));
    this.store.add(deps.jobs.moves.onDidChange((jobId) => this.changed.fire(this.nodeOf(jobId))));
  }

  /** Updates elapsed time while a job runs and the view is visible. */
  refresh(): void {
    const { clock, jobs } = this.deps;
    this.changed.fire(undefined);
    this.timer.value =
      this.isVisible() && jobs.open.length > 0
        ? clock.schedule(() => this.refresh(), redrawAt(clock.now()).nextInMs)
        : undefined;
  }

  getChildren(node?: JobNode): JobNode[] {
    if (!node) {
      const unread: JobNode[] =
        this.deps.jobs.error === undefined ? [] : [this.keep('unread', { jobsUnread: true })];
      return [
        ...unread,
        ...this.deps.jobs.damaged.map((path) => this.keep(path, { damagedJob: path })),
        ...groups.filter((group) => this.rows(group).length > 0).map((group) => this.group(group)),
      ];
    }
    if ('jobGroup' in node) {
      return this.rows(node.jobGroup).map(({ job }) => this.nodeOf(job.id));
    }
    const row = 'jobId' in node ? this.deps.jobs.find(node.jobId) : undefined;
    return row
      ? rowsBelow(row).map((part) => this.keep(`${row.job.id} ${part}`, { partOf: row.job.id, part }))
      : [];
  }

  getParent(node: JobNode): JobNode | undefined {
    if ('partOf' in node) {
      return this.nodeOf(node.partOf);
    }
    const row = 'jobId' in node ? this.deps.jobs.find(node.jobId) : undefined;
    return row && this.group(groupOf(row));
  }

  getTreeItem(node: JobNode): vscode.TreeItem {
    if ('jobsUnread' in node) {
      return unreadRow('jobs-unread', t('Could not read the list'), this.deps.jobs.error);
    }
    if ('damagedJob' in node) {
      return damagedJobItem(node.damagedJob);
    }
    if ('jobGroup' in node) {
      return jobGroupItem(node.jobGroup, this.rows(node.jobGroup).length);
    }
    const id = 'jobId' in node ? node.jobId : node.partOf;
    const row = this.deps.jobs.find(id);
    if (!row) {
      return new vscode.TreeItem('');
    }
    return 'jobId' in node
      ? jobItem(row, redrawAt(this.deps.clock.now()).now, {
          move: this.deps.jobs.moves.find(id),
          isFetchable: this.noteFetchable(row),
        })
      : jobPartItem(row, node.part);
  }

  /** Returns whether the outputs of a job that is over can be fetched, and notes it as shown. */
  private noteFetchable(row: JobRow): boolean {
    const isFetchable = remainingMachine(this.deps, row) !== undefined;
    this.fetchable.set(row.job.id, isFetchable);
    return isFetchable;
  }

  /** Updates the rows whose menu changes because their machine is gone, or listed again. */
  private followMachines(): void {
    for (const [jobId, wasFetchable] of this.fetchable) {
      const row = this.deps.jobs.find(jobId);
      if (row && (remainingMachine(this.deps, row) !== undefined) !== wasFetchable) {
        this.changed.fire(this.nodeOf(jobId));
      }
    }
  }

  nodeOf(jobId: string): JobNode {
    return this.keep(jobId, { jobId });
  }

  dispose(): void {
    this.store.dispose();
  }

  private group(jobGroup: JobGroup): JobNode {
    return this.keep(`group ${jobGroup}`, { jobGroup });
  }

  /** Returns the same object for the same row, as the editor requires. */
  private keep(key: string, node: JobNode): JobNode {
    const known = this.nodes.get(key) ?? node;
    this.nodes.set(key, known);
    return known;
  }

  private rows(group: JobGroup): readonly JobRow[] {
    return this.deps.jobs.rows.filter((row) => groupOf(row) === group);
  }
}
