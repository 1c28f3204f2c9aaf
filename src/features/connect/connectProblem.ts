import * as vscode from 'vscode';
import { runCommand } from '../../editor/commands';
import { confirmForgettingHostKey } from '../../editor/confirm';
import { localize, t } from '../../editor/localize';
import { suggest } from '../../editor/message';
import { showTerminal } from '../../editor/ownTerminal';
import { labelOf } from '../../editor/titles';
import type { Services } from '../../services';
import { agentEnv, explainMissingAgent, type AskedAgent } from '../../ssh/keyAgent';
import type { PreparedHost } from '../../ssh/prepareHost';
import type { ConnectFix, Explained } from '../../ssh/problemText';
import { BlockLeftError, ManualStepError } from '../../ssh/userConfig';
import type { HeldMachine } from './hostChecks';
import type { Patience } from './patience';

type Deps = Pick<Services, 'ssh' | 'log' | 'report'> & {
  readonly log: { show(): void };
  readonly patience: Patience;
};

interface Failed {
  readonly machine: HeldMachine;
  readonly host: PreparedHost;
  readonly explained: Explained;
}

/** The actions that only the connecting code can provide. */
export type Actions = Pick<
  Record<ConnectFix, () => Promise<void>>,
  'retry' | 'waitLonger' | 'openTerminal' | 'connectAnyway'
>;

/** The message of a failed connection, with buttons for the next step. */
export class ConnectProblem {
  constructor(
    private readonly deps: Deps,
    private readonly failed: Failed,
  ) {}

  /** Resolves after the user answered and the chosen action ended; the message may stay open until then. */
  async show(actions: Actions): Promise<void> {
    const labels: Record<ConnectFix, string> = {
      retry: t('Retry'),
      waitLonger: t('Wait up to 60 s'),
      openTerminal: labelOf('gpuRental.instance.openTerminal'),
      attachKey: labelOf('gpuRental.instance.attachKey'),
      forgetHostKey: t('Forget the Old Key'),
      openConfig: t('Open SSH Config'),
      unlockKey: t('Add to Agent'),
      protectKey: t('Make Private'),
      connectAnyway: t('Connect Anyway'),
      showLog: labelOf('gpuRental.showLog'),
    };
    const run: Record<ConnectFix, () => Promise<void>> = {
      ...actions,
      attachKey: () => this.attachKey(actions.retry),
      forgetHostKey: () => this.forgetHostKey(actions.retry),
      openConfig: () => this.openConfig(),
      unlockKey: () => this.unlockKey(actions),
      protectKey: () => this.protectKey(actions.retry),
      showLog: () => {
        this.deps.log.show();
        return Promise.resolve();
      },
    };
    const { text, fixes } = this.failed.explained;
    const buttons = fixes
      // Windows has no file modes, so the user changes the rights there.
      .filter((fix) => fix !== 'protectKey' || process.platform !== 'win32')
      .map((fix) => ({ label: labels[fix], run: run[fix] }));
    try {
      await suggest('error', localize(text), ...buttons);
    } catch (error) {
      this.deps.report.error(error, { retry: actions.retry });
    }
  }

  private async attachKey(retry: () => Promise<void>): Promise<void> {
    if (await attachKeyTo(this.failed.machine)) {
      await retry();
    }
  }

  private async forgetHostKey(retry: () => Promise<void>): Promise<void> {
    if (await confirmForgettingHostKey(t('Forget and Retry'))) {
      await this.deps.ssh.forgetHostKey(this.failed.host.alias);
      await retry();
    }
  }

  /** Opens the config line that is in the way, if known. */
  private async openConfig(): Promise<void> {
    const { verification, userConfig } = this.failed.host;
    const place =
      verification.kind === 'overridden' ? verification.overrides.find((one) => one.place)?.place : undefined;
    const line = Math.max(0, (place?.line ?? 1) - 1);
    await vscode.window.showTextDocument(vscode.Uri.file(place?.file ?? userConfig), {
      selection: new vscode.Range(line, 0, line, 0),
    });
  }

  private async unlockKey(actions: Actions): Promise<void> {
    const file = this.failed.host.identity.lockedFile;
    const { isRunning, asked } = await this.deps.ssh.agent();
    if (!isRunning) {
      await this.explainMissingAgent(asked, actions);
    } else if (file !== undefined && (await addToAgent(file, asked))) {
      await actions.retry();
    }
  }

  private async protectKey(retry: () => Promise<void>): Promise<void> {
    await this.deps.ssh.tighten();
    await retry();
  }

  private async explainMissingAgent(asked: AskedAgent, actions: Actions): Promise<void> {
    const { text, command } = explainMissingAgent(process.platform, asked);
    await suggest<unknown>(
      'error',
      localize(text),
      ...(command === undefined
        ? []
        : [{ label: t('Copy Command'), run: () => vscode.env.clipboard.writeText(command) }]),
      { label: labelOf('gpuRental.instance.openTerminal'), run: actions.openTerminal },
      { label: t('Retry'), run: () => this.unlockKey(actions) },
    );
  }
}

/**
 * Adds a key to the SSH agent in a terminal, where `ssh-add` asks for the passphrase, so that no extension reads it.
 * Resolves to true once the agent holds the key.
 */
function addToAgent(file: string, asked: AskedAgent): Promise<boolean> {
  const terminal = showTerminal({
    name: 'ssh-add',
    shellPath: 'ssh-add',
    shellArgs: [file],
    isTransient: true,
    ...agentEnv(asked),
  });
  return new Promise((resolve) => {
    const subscription = vscode.window.onDidCloseTerminal((closed) => {
      if (closed === terminal) {
        subscription.dispose();
        resolve(closed.exitStatus?.code === 0);
      }
    });
  });
}

/** Asks what to do if no local key is accepted; returns true if one was attached. */
export async function offerToAttach(machine: HeldMachine): Promise<boolean> {
  const answer = await suggest(
    'warning',
    t("The instance has no SSH key of this computer, so you can't log in."),
    { label: labelOf('gpuRental.instance.attachKey'), run: () => attachKeyTo(machine) },
    { label: t('Try Anyway'), run: () => true },
  );
  return answer === true;
}

/** Lets the user attach a key to the instance, if its account is still active; returns true if one was attached. */
async function attachKeyTo({ instanceId, account }: HeldMachine): Promise<boolean> {
  account();
  return (await runCommand('gpuRental.instance.attachKey', { instanceId })) === true;
}

/** Runs an action; if the SSH config must not be changed, offers to open it, and to copy a line that is to be pasted. */
export async function withManualStep(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (error instanceof BlockLeftError) {
      await suggest('error', localize(error.text), {
        label: t('Open SSH Config'),
        run: () => open(error.file),
      });
      return;
    }
    if (!(error instanceof ManualStepError)) {
      throw error;
    }
    const copy = () => vscode.env.clipboard.writeText(error.line);
    await suggest<unknown>(
      'error',
      localize(error.text),
      { label: t('Copy Line'), run: copy },
      {
        label: t('Open SSH Config'),
        run: async () => {
          await copy();
          await open(error.file);
        },
      },
    );
  }
}

function open(file: string): Thenable<unknown> {
  return vscode.window.showTextDocument(vscode.Uri.file(file));
}
