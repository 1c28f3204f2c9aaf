import * as vscode from 'vscode';
import { t } from '../../editor/localize';
import { showEnd, type OutputDocuments } from '../../editor/outputDocuments';
import { withCancellableProgress } from '../../editor/progress';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { DisposableStore, MutableDisposable } from '../../util/disposable';
import type { LifecycleDeps } from './deps';
import { clientOf } from './targets';

const tailLines = 1000;
/** How often logs are read (ms); each read takes two requests. */
const everyMs = 15_000;

/** Instance logs in documents that grow while they are visible. */
export class LogFollower implements vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly timer = this.store.add(new MutableDisposable());
  /** A number of an instance may be another one of another account. */
  private readonly logs = new Map<string, { readonly id: number; readonly accountKey: string | undefined }>();
  private isReading = false;

  constructor(
    private readonly deps: LifecycleDeps,
    private readonly documents: OutputDocuments,
  ) {
    this.store.add(
      vscode.window.onDidChangeVisibleTextEditors(() => {
        this.plan();
      }),
    );
    this.store.add(
      this.deps.windowInUse.onDidChange(() => {
        this.plan();
      }),
    );
    this.store.add(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.logs.delete(uri.toString());
      }),
    );
  }

  async show(instance: Instance): Promise<void> {
    const name = instanceName(instance);
    const accountKey = this.deps.accounts.active?.key;
    const content = await withCancellableProgress(t('Waiting for the service…'), (signal) =>
      clientOf(this.deps).instances.logs(instance.id, { tail: tailLines }, { signal }),
    );
    const uri = this.documents.uri(`log-${instance.id}`, `${name}.log`);
    this.logs.set(uri.toString(), { id: instance.id, accountKey });
    const editor = await this.documents.show(uri, content === '' ? t('The log is empty.') : content, 'log');
    showEnd(editor);
    this.plan();
  }

  dispose(): void {
    this.store.dispose();
  }

  /** Schedules the next read while a log is visible in a focused window. */
  private plan(): void {
    const visible = this.visible();
    this.timer.value =
      visible.length > 0 && this.deps.windowInUse.isFocused && !this.isReading
        ? this.deps.clock.schedule(() => {
            void this.readAgain();
          }, everyMs)
        : undefined;
  }

  private visible(): readonly vscode.TextEditor[] {
    return vscode.window.visibleTextEditors.filter(({ document }) => this.logs.has(document.uri.toString()));
  }

  private async readAgain(): Promise<void> {
    this.isReading = true;
    try {
      for (const editor of this.visible()) {
        await this.readOne(editor);
      }
    } finally {
      this.isReading = false;
      this.plan();
    }
  }

  private async readOne(editor: vscode.TextEditor): Promise<void> {
    const { uri } = editor.document;
    const log = this.logs.get(uri.toString());
    const { accounts, fleet } = this.deps;
    if (!log || log.accountKey !== accounts.active?.key || !fleet.find(log.id)) {
      return;
    }
    const { id } = log;
    try {
      const content = await clientOf(this.deps).instances.logs(id, { tail: tailLines });
      if (content !== '') {
        this.documents.grow(uri, content);
      }
    } catch (error) {
      // The shown text stays; the next read may succeed.
      this.deps.log.warn(`The log of ${id} could not be read again: ${String(error)}`);
    }
  }
}
