import * as vscode from 'vscode';
import { showInstances } from '../../editor/chooseInstance';
import { choose } from '../../editor/confirm';
import { hostSentences } from '../../editor/failureText';
import { localize, t } from '../../editor/localize';
import { message } from '../../editor/message';
import { progressWithButton } from '../../editor/progress';
import { titleOf } from '../../editor/titles';
import { destroyedText, notConfirmedText } from '../../model/instances/destroyVerdict';
import { instanceName } from '../../model/instances/instanceLabel';
import { stateLabel, stateOf, takenGpuWords } from '../../model/instances/instanceState';
import { checkTexts } from '../../model/rentals/machineCheckText';
import type { StartWatch } from '../../model/rentals/startWatch';
import type { ActingAccount } from '../../store/accounts/accounts';
import { accountFor } from '../../store/accounts/sameAccount';
import { destroyAndVerify } from '../../store/instances/destruction';
import { DisposableStore, MutableDisposable } from '../../util/disposable';
import { durationText, redrawAt } from '../../util/duration';
import { plainLabel } from '../../util/plainLabel';
import type { ReadinessDeps } from './deps';

/** One progress notification for each starting machine, in the window that was in use when it started. */
export class ReadyProgress implements vscode.Disposable {
  private readonly store = new DisposableStore();

  constructor(
    private readonly deps: ReadinessDeps,
    private readonly followed: ReadonlySet<number>,
  ) {
    this.store.add(
      deps.startWatches.onDidChange(() => {
        this.check();
      }),
    );
    this.check();
  }

  dispose(): void {
    this.store.dispose();
  }

  private check(): void {
    const account = this.deps.accounts.active?.key ?? '';
    for (const watch of this.deps.startWatches.watches) {
      const { instanceId, since } = watch;
      const isStillSo = () =>
        !this.followed.has(instanceId) && this.deps.startWatches.find(instanceId)?.since === since;
      if (isStillSo()) {
        this.deps.oneWindow.offer(`${account}:progress:${instanceId}:${since}`, () => this.show(watch), {
          isStillSo,
          onlyInUse: true,
        });
      }
    }
  }

  private async show(watch: StartWatch): Promise<void> {
    const { instanceId } = watch;
    const cancelled = await vscode.window.withProgress(
      progressWithButton(t('Getting {0} ready', this.name(instanceId)), t('Stop Waiting')),
      (progress, token) =>
        new Promise<boolean>((resolve) => {
          const own = new DisposableStore();
          const finish = (wasCancelled: boolean) => {
            own.dispose();
            resolve(wasCancelled);
          };
          const report = () => {
            const now = this.deps.startWatches.find(instanceId);
            if (now?.since !== watch.since) {
              finish(false);
            } else {
              progress.report({ message: this.stage(now) });
            }
          };
          const timer = own.add(new MutableDisposable());
          const tick = () => {
            timer.value = this.deps.clock.schedule(tick, redrawAt(this.deps.clock.now()).nextInMs);
            report();
          };
          own.add(this.deps.startWatches.onDidChange(report));
          own.add(
            token.onCancellationRequested(() => {
              finish(true);
            }),
          );
          tick();
        }),
    );
    if (cancelled) {
      await this.stopOrDestroy(watch);
    }
  }

  /** Returns the stage, the elapsed time and the host's message. */
  private stage(watch: StartWatch): string {
    const instance = this.deps.fleet.find(watch.instanceId);
    const { now } = redrawAt(this.deps.clock.now());
    const kind = instance && stateOf(instance, this.deps.fleet.facts(instance.id), now);
    const label = instance && kind ? localize(stateLabel(instance, kind)) : t('Preparing');
    // While another user has the GPU, all else dates from the last run.
    const words = instance && kind === 'queued' ? takenGpuWords(instance) : watch.message;
    const elapsed = localize(durationText(now - watch.since));
    if (watch.check) {
      return checkTexts(watch.check, now).map(localize).join(' · ');
    }
    const parts = watch.isLong
      ? [label, elapsed, t('longer than usual'), hostSentences(words).join(' ')]
      : [label, elapsed, plainLabel(words ?? '').slice(0, 120)];
    return parts.filter((part) => part !== '').join(' · ');
  }

  /** Asks before the progress ends, because the machine still costs money. Without an answer, it keeps waiting. */
  private async stopOrDestroy(watch: StartWatch): Promise<void> {
    const { instanceId } = watch;
    const account = accountFor(this.deps.accounts);
    const name = this.name(instanceId);
    const answered = () => true;
    const isAnswered = await choose<boolean>(
      {
        message: t('Stop waiting for “{0}”?', name),
        detail: t(
          'If you stop waiting, it keeps starting and costs money, and no message appears when it is ready. If you destroy it, all data on it is lost and you are no longer charged.',
        ),
        keep: t('Keep Waiting'),
      },
      {
        label: t('Stop Waiting'),
        run: () => Promise.resolve(this.deps.startWatches.stopWatching(instanceId)).then(answered),
      },
      {
        label: titleOf('gpuRental.instance.destroy'),
        run: () => this.destroy(account(), instanceId, name).then(answered),
      },
    );
    if (isAnswered === undefined) {
      await this.show(watch);
    }
  }

  private async destroy(account: ActingAccount, instanceId: number, name: string): Promise<void> {
    const verdict = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: t('Destroying {0}…', name) },
      () => destroyAndVerify(this.deps, account, instanceId),
    );
    if (verdict === 'destroyed') {
      message('info', localize(destroyedText([name])));
    } else {
      message('warning', localize(notConfirmedText(name)), showInstances());
    }
  }

  private name(instanceId: number): string {
    const instance = this.deps.fleet.find(instanceId);
    return instance ? instanceName(instance) : `#${instanceId}`;
  }
}
