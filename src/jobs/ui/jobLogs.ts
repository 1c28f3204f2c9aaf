import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import { OutputDocuments, showEnd, type Cut } from '../../editor/outputDocuments';
import { DisposableStore } from '../../util/disposable';
import { isOver, type JobRow } from '../model/job';
import { plainLog } from '../model/logText';
import type { JobDeps } from './deps';

const logScheme = 'gpurental-joblog';

/** Job logs as read-only documents that grow. Closing a document does not stop the job. */
export class JobLogs implements vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly documents = this.store.add(new OutputDocuments(logScheme));
  /** The shown text, by the URI of its document. */
  private readonly shown = new Map<string, string>();

  constructor(private readonly deps: Pick<JobDeps, 'jobs' | 'log'>) {
    this.store.add(deps.jobs.onDidChange(() => void this.refresh()));
    this.store.add(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (this.shown.delete(uri.toString())) {
          this.sendWatched();
        }
      }),
    );
  }

  async show(row: JobRow): Promise<void> {
    const { id, spec } = row.job;
    const uri = this.documents.uri(id, `${spec.name}.log`);
    this.shown.set(uri.toString(), id);
    this.sendWatched();
    const { text, ...cut } = await this.read(row);
    const editor = await this.documents.show(uri, text, 'log', cut);
    showEnd(editor);
  }

  dispose(): void {
    this.store.dispose();
    this.deps.jobs.watch(this, []);
  }

  private sendWatched(): void {
    this.deps.jobs.watch(this, [...new Set(this.shown.values())]);
  }

  private async read({ job, state }: JobRow): Promise<Cut & { readonly text: string }> {
    const { bytes, at } = await this.deps.jobs.log(job.id);
    const none = isOver({ state }) ? t('The log is empty.') : t('Nothing was printed yet.');
    const text = plainLog(bytes.toString()) || none;
    const whole = await this.deps.jobs.logPath(job.id);
    return { text, isCut: at > 0, ...(whole === undefined ? {} : { whole }) };
  }

  /** Never rejects. */
  private async refresh(): Promise<void> {
    for (const [address, id] of this.shown) {
      const row = this.deps.jobs.find(id);
      if (!row) {
        continue;
      }
      try {
        const { text, ...cut } = await this.read(row);
        this.documents.grow(vscode.Uri.parse(address, true), text, cut);
      } catch (error) {
        this.deps.log.warn(`The log of job ${id} could not be read: ${String(error)}`);
      }
    }
  }
}
