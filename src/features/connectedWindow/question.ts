import * as vscode from 'vscode';
import { commandAction, runCommand, titledAction } from '../../editor/commands';
import { choose } from '../../editor/confirm';
import { t } from '../../editor/localize';
import type { Action } from '../../editor/message';
import type { Instance } from '../../model/instances/instance';
import { actionsFor } from '../../model/instances/instanceState';
import type { WindowTrouble } from '../../model/instances/windowTrouble';
import { accountFor } from '../../store/accounts/sameAccount';
import type { WindowDeps } from './deps';
import { runningPriceOf, troubleText } from './windowText';

/** The question appears unexpectedly, so a key press meant for the editor must not choose anything (ms). */
const readingMs = 1000;
const tooSoon = Symbol('too soon');

/** Asks what to do after an event of this window's machine. Without an answer nothing happens. */
export async function askAboutWindow(
  deps: WindowDeps,
  target: { readonly instanceId: number; readonly name: string },
  trouble: WindowTrouble,
): Promise<void> {
  const { instanceId, name } = target;
  const account = accountFor(deps.accounts);
  const instance = deps.fleet.find(instanceId);
  for (;;) {
    const shownAt = deps.clock.elapsed();
    const isRead = () => deps.clock.elapsed() - shownAt >= readingMs;
    const answer = await choose<unknown>(
      { ...troubleText(name, trouble, instance), keep: t('Keep It Open') },
      ...choicesFor(deps, { instanceId, instance, trouble, isRead, account }),
    );
    if (answer !== tooSoon) {
      return;
    }
  }
}

interface Asked {
  readonly instanceId: number;
  readonly instance: Instance | undefined;
  readonly trouble: WindowTrouble;
  /** Returns whether the question was open long enough to be read. */
  readonly isRead: () => boolean;
  /** Throws once another account is active. */
  readonly account: () => unknown;
}

function choicesFor(deps: WindowDeps, asked: Asked): readonly Action[] {
  const close = { label: t('Close the Window'), run: closeRemote };
  if (asked.trouble === 'moved') {
    return [{ label: t('Reload Window'), run: reloadWindow }, close];
  }
  return [...waysOn(deps, asked), close];
}

/** Offers to start at the stated price, raise the bid, or rent another machine. */
function waysOn(
  deps: WindowDeps,
  { instanceId, instance, trouble, isRead, account }: Asked,
): readonly Action[] {
  if (!instance) {
    return [titledAction('gpuRental.searchOffers')];
  }
  const { canStart, canReplace } = actionsFor(instance, deps.fleet.facts(instanceId), deps.clock.now());
  const start: Action = {
    label: t('Start for {0}', runningPriceOf(instance)),
    run: () => {
      if (!isRead()) {
        return tooSoon;
      }
      account();
      return runCommand('gpuRental.instance.startNow', { instanceId });
    },
  };
  const bid = titledAction('gpuRental.instance.changeBid', { instanceId });
  const replace =
    canReplace && deps.rentals.find(instanceId)?.search !== undefined
      ? commandAction(t('Replace'), 'gpuRental.instance.replaceFailed', { instanceId })
      : titledAction('gpuRental.instance.rentAnother', { instanceId });
  return [...(canStart ? [start] : []), ...(trouble === 'outbid' ? [bid] : []), replace];
}

export function reloadWindow(): Thenable<unknown> {
  return vscode.commands.executeCommand('workbench.action.reloadWindow');
}

/**
 * Closes the remote connection. Editors without that command have one that closes the folder, which also disconnects.
 */
async function closeRemote(): Promise<void> {
  const closeCommand = 'workbench.action.remote.close';
  const known = await vscode.commands.getCommands();
  await vscode.commands.executeCommand(
    known.includes(closeCommand) ? closeCommand : 'workbench.action.closeFolder',
  );
}
