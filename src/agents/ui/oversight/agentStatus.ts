import * as vscode from 'vscode';
import { t } from '../../../editor/localize';
import { instanceName } from '../../../model/instances/instanceLabel';
import { answerWithinMs } from '../../model/gate';
import type { Clock } from '../../../util/clock';
import { DisposableStore, MutableDisposable, type Disposable } from '../../../util/disposable';
import type { AgentWatch } from './agentWatch';

/** Shows pending questions, otherwise what agents do and have rented; a click opens either. */
export function showAgentStatus(watch: AgentWatch, clock: Clock): Disposable {
  const store = new DisposableStore();
  const item = store.add(
    vscode.window.createStatusBarItem('gpuRental.agents', vscode.StatusBarAlignment.Left, 8),
  );
  item.name = t('GPU Rental Agents');
  const timer = store.add(new MutableDisposable<Disposable>());
  const show = () => {
    const { pending, underWay } = watch;
    const running = watch.instances.filter(({ canStop }) => canStop);
    const ends = pending.map(({ at }) => at + answerWithinMs - clock.now());
    timer.value = ends.length > 0 ? clock.schedule(show, Math.max(0, ...ends)) : undefined;
    if (pending.length + underWay.length + running.length === 0) {
      item.hide();
      return;
    }
    const words =
      pending.length > 0
        ? waitingWords(pending.length)
        : underWay.length > 0
          ? t('Agent at work')
          : running.length === 1
            ? t('1 agent instance')
            : t('{0} agent instances', running.length);
    item.text = `$(hubot) ${words}`;
    item.tooltip =
      pending.length > 0
        ? t("Answer the agent's request")
        : [words, ...running.map(({ instance }) => instanceName(instance))].join('\n');
    item.accessibilityInformation = { label: words, role: 'button' };
    item.command = pending.length > 0 ? 'gpuRental.agents.openRequest' : 'gpuRental.instances.focus';
    item.backgroundColor =
      pending.length > 0 ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    item.show();
  };
  store.add(watch.onDidChange(show));
  show();
  return store;
}

function waitingWords(count: number): string {
  return count === 1 ? t('1 request is waiting') : t('{0} requests are waiting', count);
}
