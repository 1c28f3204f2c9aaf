import * as vscode from 'vscode';
import { NotReachableError } from '../../api/errors';
import { localize, t } from '../../editor/localize';
import { reportProblem } from '../../editor/message';
import { openInPlaceOf, type OwnTerminalOptions } from '../../editor/ownTerminal';
import type { Services } from '../../services';
import { accountStill } from '../../store/accounts/sameAccount';
import { DisposableStore, MutableDisposable, type Disposable } from '../../util/disposable';
import { durationText } from '../../util/duration';
import { UserError } from '../../util/errors';
import type { Contact } from './contact';
import { terminalParts, type KeptTerminal, type KeptTerminals, type LostTerminal } from './keptTerminals';
import { StandIn } from './standIn';

interface Deps extends Pick<Services, 'accounts' | 'clock' | 'fleet'> {
  readonly contact: Pick<Contact, 'looks' | 'name' | 'title'>;
  readonly terminals: Pick<
    KeptTerminals,
    'isKept' | 'isTaken' | 'look' | 'onDidChange' | 'onDidLose' | 'show'
  >;
  /** Logs in as for a click, and explains why that fails. */
  readonly reattach: (terminals: readonly KeptTerminal[], open: OpenAgain) => Promise<void>;
}

/** Opens one that runs. */
export type OpenAgain = (one: KeptTerminal, options: OwnTerminalOptions) => void;

interface Waiting {
  readonly one: KeptTerminal;
  readonly standIn: StandIn;
}

/** The terminals of one machine come back by one login. */
interface Machine {
  readonly next: MutableDisposable<Disposable>;
  waiting: readonly Waiting[];
  /** Those that the editor was asked to open. */
  opening: readonly Waiting[];
  tries: number;
  isTrying: boolean;
  /** No try makes sense: this computer is offline, or the machine does not run. */
  isHeld: boolean;
  /** When its terminals last came back (`elapsed`). */
  backAt: number;
}

/** The pauses before the tries double, so that all of them take 18 minutes. */
const firstPauseMs = 2_000;
const longestPauseMs = 5 * 60_000;
const mostTries = 10;
/** A connection that breaks sooner than this adds to the tries before it (ms). */
const heldMs = 60_000;

/** How long before the end of a terminal the editor may show the next one. */
const nextShownMs = 1_000;

/** Windows share the words of an error alone. */
const offline = new NotReachableError().text.template;

/**
 * Brings terminals back whose connection broke while this window showed them. A terminal without a program waits in the
 * place of each, says what is done, and gives way to the terminal. Closing it ends that.
 */
export class LostTerminals implements Disposable {
  private readonly store = new DisposableStore();
  private readonly machines = new Map<string, Machine>();
  private active = vscode.window.activeTerminal;
  /** The terminal that was active before, and until when (`elapsed`). */
  private before: { readonly terminal: vscode.Terminal | undefined; readonly until: number } | undefined;

  constructor(private readonly deps: Deps) {
    const { fleet, terminals } = deps;
    this.store.add(terminals.onDidLose((lost) => this.add(lost)));
    this.store.add(terminals.onDidChange(() => this.follow()));
    this.store.add(fleet.onDidChange(() => this.follow()));
    this.store.add(
      vscode.window.onDidChangeActiveTerminal((terminal) => {
        this.before = { terminal: this.active, until: deps.clock.elapsed() };
        this.active = terminal;
      }),
    );
    this.store.add(vscode.window.onDidOpenTerminal((terminal) => this.giveWay(terminal)));
  }

  dispose(): void {
    this.store.dispose();
    this.machines.forEach(({ next }) => next.dispose());
  }

  private add({ terminal, one }: LostTerminal): void {
    const { clock, contact } = this.deps;
    const machine = this.machines.get(one.alias) ?? newMachine();
    this.machines.set(one.alias, machine);
    const wasShown = this.wasActive(terminal);
    const { location } = terminal.creationOptions;
    // A terminal beside which it was opened may be gone as well.
    const isBeside = typeof location === 'object' && 'parentTerminal' in location;
    const standIn = new StandIn(
      { name: terminal.name, ...(location === undefined || isBeside ? {} : { location }) },
      { onKey: () => this.tryForUser(machine), onClose: () => this.remove(machine, standIn) },
    );
    machine.waiting = [...machine.waiting, { one, standIn }];
    if (wasShown) {
      standIn.terminal.show(true);
    }
    standIn.say(
      t('The connection to {0} was lost. This terminal keeps running there.', contact.name(one.instanceId)),
    );
    // After sleep, all of them break one after the other.
    if (!machine.next.value) {
      machine.tries = clock.elapsed() - machine.backAt > heldMs ? 0 : machine.tries;
      this.plan(machine);
    }
  }

  /** The editor may have shown the next terminal already, or none is left. */
  private wasActive(terminal: vscode.Terminal): boolean {
    const { active, before } = this;
    const now = this.deps.clock.elapsed();
    return (
      (active ?? terminal) === terminal || (before?.terminal === terminal && now - before.until < nextShownMs)
    );
  }

  private remove(machine: Machine, standIn: StandIn): void {
    machine.waiting = machine.waiting.filter((other) => other.standIn !== standIn);
    machine.opening = machine.opening.filter((other) => other.standIn !== standIn);
    if (machine.waiting.length === 0) {
      machine.next.value = undefined;
    }
  }

  private plan(machine: Machine): void {
    const [first] = machine.waiting;
    machine.next.value = undefined;
    if (!first || machine.isTrying) {
      return;
    }
    const { clock, contact } = this.deps;
    machine.isHeld = !this.canTry(first.one);
    if (machine.isHeld) {
      const name = contact.name(first.one.instanceId);
      say(machine, t('Waiting until {0} can be reached. Press any key to try now.', name));
    } else if (machine.tries >= mostTries) {
      say(machine, t('Could not reconnect. Press any key to try again.'));
    } else {
      const pauseMs = Math.min(firstPauseMs * 2 ** machine.tries, longestPauseMs);
      if (machine.tries > 0) {
        const pause = localize(durationText(pauseMs));
        say(machine, t('No answer. Next try in {0}. Press any key to try now.', pause));
      }
      machine.next.value = clock.schedule(() => this.tryUnasked(machine), pauseMs);
    }
  }

  private canTry({ accountKey, instanceId }: KeptTerminal): boolean {
    const { accounts, fleet } = this.deps;
    const { state } = fleet;
    const error = state.kind === 'ready' ? state.error : undefined;
    return (
      accounts.active?.key === accountKey &&
      fleet.find(instanceId)?.actualStatus === 'running' &&
      !(error instanceof UserError && error.text.template === offline)
    );
  }

  /** Says what has ended, and begins again once this computer and the machine are back. */
  private follow(): void {
    for (const machine of this.machines.values()) {
      for (const { one, standIn } of machine.waiting.filter(
        (other) => !this.deps.terminals.isKept(other.one),
      )) {
        this.remove(machine, standIn);
        standIn.end(t('The terminal {0} has ended.', one.name));
      }
      const [first] = machine.waiting;
      if (first && !machine.isTrying && machine.isHeld === this.canTry(first.one)) {
        machine.tries = machine.isHeld ? 0 : machine.tries;
        this.plan(machine);
      }
    }
  }

  private tryUnasked(machine: Machine): void {
    machine.tries += 1;
    this.try(machine, async ({ one }) => {
      if (await this.deps.terminals.look(one)) {
        this.bringBack(machine);
      }
    });
  }

  private tryForUser(machine: Machine): void {
    machine.tries = mostTries;
    const ones = machine.waiting.map(({ one }) => one);
    this.try(machine, () => this.deps.reattach(ones, (one, options) => this.open(machine, one, options)));
  }

  private try(machine: Machine, run: (first: Waiting) => Promise<void>): void {
    const [first] = machine.waiting;
    if (!first || machine.isTrying) {
      return;
    }
    machine.next.value = undefined;
    machine.isTrying = true;
    say(machine, `${this.deps.contact.title(first.one.instanceId)}…`);
    void run(first)
      .catch((error: unknown) => reportProblem(error))
      .finally(() => {
        machine.isTrying = false;
        this.plan(machine);
      });
  }

  /** By a login that has just proved that they run. One that another window took over stays there. */
  private bringBack(machine: Machine): void {
    const { accounts, contact, terminals } = this.deps;
    for (const { one, standIn } of machine.waiting) {
      if (terminals.isTaken(one)) {
        machine.tries = mostTries;
        standIn.say(t('{0}, open elsewhere', one.name));
        continue;
      }
      const held = { instanceId: one.instanceId, account: () => accountStill(accounts, one.accountKey) };
      this.open(machine, one, contact.looks(held, terminals.show(one)));
    }
  }

  private open(machine: Machine, one: KeptTerminal, options: OwnTerminalOptions): void {
    const found = machine.waiting.find((other) => other.one === one);
    if (found) {
      this.remove(machine, found.standIn);
      machine.opening = [...machine.opening, found];
      openInPlaceOf(found.standIn.terminal, options);
    }
  }

  /** Ends what waits for a terminal that is open again, by us or by a click. */
  private giveWay(terminal: vscode.Terminal): void {
    const { alias, name } = terminalParts(terminal);
    const machine = alias === undefined ? undefined : this.machines.get(alias);
    const found = [...(machine?.opening ?? []), ...(machine?.waiting ?? [])].find(
      ({ one }) => one.name === name,
    );
    if (machine && found) {
      machine.backAt = this.deps.clock.elapsed();
      if (vscode.window.activeTerminal === found.standIn.terminal) {
        terminal.show(true);
      }
      this.remove(machine, found.standIn);
      found.standIn.dispose();
    }
  }
}

function newMachine(): Machine {
  const next = new MutableDisposable<Disposable>();
  const backAt = Number.NEGATIVE_INFINITY;
  return { next, waiting: [], opening: [], tries: 0, isTrying: false, isHeld: false, backAt };
}

function say({ waiting }: Machine, line: string): void {
  waiting.forEach(({ standIn }) => standIn.say(line));
}
