import * as vscode from 'vscode';
import { runCommand } from '../../editor/commands';
import { t } from '../../editor/localize';
import type { Instance } from '../../model/instances/instance';
import { actionsFor } from '../../model/instances/instanceState';
import type { WindowTrouble } from '../../model/instances/windowTrouble';
import type { WindowDeps } from './deps';
import { runningPriceOf, troubleWords } from './windowText';

interface Choice extends vscode.MessageItem {
  run?(): Thenable<unknown>;
  readonly costsAtOnce?: boolean;
}

/** The question comes unasked: a key that was meant for the editor must not start anything. */
const readingMs = 1000;

/** The one question about what happened to the machine of this window. Nothing is done without an answer. */
export async function askAboutWindow(
  deps: WindowDeps,
  target: { readonly instanceId: number; readonly name: string },
  trouble: WindowTrouble,
): Promise<void> {
  const { instanceId, name } = target;
  const instance = deps.fleet.find(instanceId);
  const { message, detail } = troubleWords(name, trouble, instance);
  for (;;) {
    const shownAt = deps.clock.now();
    const chosen = await vscode.window.showWarningMessage<Choice>(
      message,
      { modal: true, detail },
      ...choicesFor(deps, instanceId, instance, trouble),
    );
    if (chosen?.costsAtOnce !== true || deps.clock.now() - shownAt >= readingMs) {
      await chosen?.run?.();
      return;
    }
  }
}

function choicesFor(
  deps: WindowDeps,
  instanceId: number,
  instance: Instance | undefined,
  trouble: WindowTrouble,
): readonly Choice[] {
  const close: Choice = { title: t('Close the Window'), run: closeRemote };
  const keep: Choice = { title: t('Keep It Open'), isCloseAffordance: true };
  if (trouble === 'moved') {
    return [{ title: t('Reload Window'), run: reloadWindow }, close, keep];
  }
  return [...waysOn(deps, instanceId, instance, trouble), close, keep];
}

/** Start at the price that is said, pay more, or take another machine. */
function waysOn(
  deps: WindowDeps,
  instanceId: number,
  instance: Instance | undefined,
  trouble: WindowTrouble,
): readonly Choice[] {
  if (!instance) {
    return [{ title: t('Search Offers'), run: () => runCommand('gpuRental.searchOffers') }];
  }
  const { canStart, canReplace } = actionsFor(instance, deps.fleet.facts(instanceId), deps.clock.now());
  const start: Choice = {
    title: t('Start for {0}', runningPriceOf(instance)),
    run: () => runCommand('gpuRental.instance.startNow', { instanceId }),
    costsAtOnce: true,
  };
  const bid: Choice = {
    title: t('Change Bid…'),
    run: () => runCommand('gpuRental.instance.changeBid', { instanceId }),
  };
  const replace: Choice =
    canReplace && deps.rentals.find(instanceId)?.search !== undefined
      ? {
          title: t('Replace…'),
          run: () => runCommand('gpuRental.instance.replaceFailed', { instanceId }),
        }
      : {
          title: t('Rent Another Like This…'),
          run: () => runCommand('gpuRental.instance.rentAnother', { instanceId }),
        };
  return [...(canStart ? [start] : []), ...(trouble === 'outbid' ? [bid] : []), replace];
}

export function reloadWindow(): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.reloadWindow');
}

/** Editors without the command to leave a host have the one that closes the folder, and go home with it. */
async function closeRemote(): Promise<void> {
  const leave = 'workbench.action.remote.close';
  const known = await vscode.commands.getCommands();
  await vscode.commands.executeCommand(known.includes(leave) ? leave : 'workbench.action.closeFolder');
}
