import type { TerminalTarget } from '../../commandSpecs';
import { runCommand } from '../../editor/commands';
import { confirm } from '../../editor/confirm';
import { t } from '../../editor/localize';
import { message } from '../../editor/message';
import { showTerminal } from '../../editor/ownTerminal';
import { withCancellableProgress } from '../../editor/progress';
import { pickOne } from '../../editor/quickPick';
import { titleOf } from '../../editor/titles';
import type { Services } from '../../services';
import { endTerminal, installTmux } from '../../ssh/terminals';
import { accountStill } from '../../store/accounts/sameAccount';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';
import type { Contact } from './contact';
import type { HeldMachine } from './hostChecks';
import type { KeptTerminal, KeptTerminals } from './keptTerminals';
import type { OpenAgain } from './lostTerminals';

interface Deps extends Pick<Services, 'accounts' | 'ssh'> {
  readonly contact: Contact;
  readonly terminals: KeptTerminals;
}

/** Opens terminals that still run; of those that have ended, says so. One login for each instance. */
export async function reattach(
  deps: Deps,
  wanted: readonly KeptTerminal[],
  open: OpenAgain = (_, options) => showTerminal(options),
): Promise<void> {
  const { accounts, contact, terminals } = deps;
  for (const { instanceId, accountKey } of wanted.filter(isFirstOfItsInstance)) {
    const here = wanted.filter((one) => one.instanceId === instanceId);
    const machine = { instanceId, account: () => accountStill(accounts, accountKey) };
    const login = await contact.logIn(machine);
    if (!login) {
      continue;
    }
    if (login.seen) {
      terminals.note(login.alias, login.seen);
    }
    const names = login.seen?.kept.map(({ name }) => name);
    for (const one of here) {
      if (names?.includes(one.name) === false) {
        sayEnded(one.name);
      } else {
        open(one, contact.looks(machine, terminals.show(one)));
      }
    }
  }
}

function isFirstOfItsInstance(one: KeptTerminal, at: number, all: readonly KeptTerminal[]): boolean {
  return all.findIndex(({ instanceId }) => instanceId === one.instanceId) === at;
}

function sayEnded(name: string): void {
  message('info', t('The terminal {0} has ended.', name));
}

/** Returns the terminal of a row; asks which one for an instance that has several. */
export async function chosenTerminal(
  { terminals }: Deps,
  target: TerminalTarget | undefined,
): Promise<KeptTerminal | undefined> {
  const left = target ? terminals.leftOn(target.instanceId) : [];
  const name = target?.terminalName;
  if (name !== undefined || left.length < 2) {
    const found = left.find((one) => name === undefined || one.name === name);
    if (!found) {
      sayEnded(name ?? '–');
    }
    return found;
  }
  const rows = left.map((one) => ({ label: one.name, description: one.last?.command ?? '', one }));
  return (await pickOne(rows, { title: titleOf('gpuRental.terminal.end') }))?.one;
}

/** Ends a terminal, and asks first where a program runs in it. */
export async function end(deps: Deps, terminal: KeptTerminal): Promise<void> {
  const { accounts, contact, ssh, terminals } = deps;
  const { instanceId, accountKey, name } = terminal;
  const alias = await runCommand('gpuRental.prepareSsh', { instanceId, accountKey });
  if (alias === undefined) {
    return;
  }
  const machine = contact.name(instanceId);
  const ask = async (isAgreed: boolean) => {
    const seen = await withCancellableProgress(contact.title(instanceId), (signal) =>
      endTerminal(ssh, alias, { name, isAgreed }, signal),
    );
    accountStill(accounts, accountKey);
    if (!seen) {
      throw new UserError(text('Its machine does not answer.'), { nextStep: 'retry' });
    }
    terminals.note(alias, seen);
    return seen.kept.find((one) => one.name === name);
  };
  const left = await ask(false);
  const isAgreed =
    left !== undefined &&
    (await confirm({
      message: t('End the terminal {0} of {1}?', name, machine),
      detail: t('{0} runs in it and ends as well.', left.command),
      button: t('End'),
    }));
  if (isAgreed) {
    await ask(true);
  }
}

/** Says that terminals end with their connection, once for each instance, and offers what keeps them running. */
export function offerTmux({ contact, ssh }: Deps, machine: HeldMachine, alias: string, again: () => unknown) {
  const name = contact.name(machine.instanceId);
  const install = async () => {
    const isAgreed = await confirm({
      message: t('Install tmux on {0}?', name),
      detail: t('It runs apt-get install tmux on the instance. Open terminals stay as they are.'),
      button: t('Install'),
    });
    if (isAgreed) {
      machine.account();
      await withCancellableProgress(t('Installing tmux on {0}', name), (signal) =>
        installTmux(ssh, alias, signal),
      );
      await again();
    }
  };
  message('info', endsWithConnection(name), { label: t('Install tmux…'), run: install });
}

/** What a terminal that nothing keeps shows first. */
export function endsWithConnection(name: string): string {
  return t('Terminals on {0} end with their connection, because it has no tmux.', name);
}
