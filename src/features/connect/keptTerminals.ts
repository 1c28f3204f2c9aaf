import * as vscode from 'vscode';
import * as z from 'zod';
import { t } from '../../editor/localize';
import { reportProblem, suggest } from '../../editor/message';
import type { OwnTerminalOptions } from '../../editor/ownTerminal';
import { sshAuthority } from '../../editor/remoteAuthority';
import { instanceName } from '../../model/instances/instanceLabel';
import { stateOf } from '../../model/instances/instanceState';
import type { Services } from '../../services';
import { aliasInArguments, hostInAuthority } from '../../ssh/alias';
import {
  isTerminalName,
  keptNameInArguments,
  keptTerminalScript,
  readTerminals,
  terminalCommand,
  type KeptOnMachine,
  type TerminalsSeen,
} from '../../ssh/terminals';
import { isAlias } from '../../ssh/validate';
import { onAccountEnd } from '../../store/accounts/accountEnds';
import { DisposableStore, type Disposable } from '../../util/disposable';
import { Emitter } from '../../util/emitter';
import { plainLabel } from '../../util/plainLabel';

export type KeptTerminalsDeps = Pick<
  Services,
  'accounts' | 'accountCleanup' | 'clock' | 'fleet' | 'log' | 'settings' | 'ssh' | 'workspaceState'
>;

/** A terminal that keeps running on its instance. */
export interface KeptTerminal {
  readonly instanceId: number;
  readonly alias: string;
  readonly accountKey: string;
  readonly name: string;
}

/** A terminal that the editor has closed, and what runs on without it. */
export interface LostTerminal {
  readonly terminal: vscode.Terminal;
  readonly one: KeptTerminal;
}

/** A machine that let a login in, with what it said of our terminals. */
export interface TerminalLogin {
  readonly alias: string;
  readonly seen: TerminalsSeen | undefined;
}

/** Returns the instance and the name of a terminal of ours, as far as it has them. */
export function terminalParts({ creationOptions }: vscode.Terminal): {
  readonly alias?: string;
  readonly name?: string;
} {
  const args = 'shellArgs' in creationOptions ? creationOptions.shellArgs : undefined;
  const name = keptNameInArguments(args);
  const alias = aliasInArguments(args) ?? (name === undefined ? undefined : aliasOfWindow());
  return { ...(alias === undefined ? {} : { alias }), ...(name === undefined ? {} : { name }) };
}

/** Returns the instance that this window is on. */
function aliasOfWindow(): string | undefined {
  return hostInAuthority(sshAuthority())?.alias;
}

/** Other versions may have written other values. */
function readKept(value: unknown): readonly KeptTerminal[] {
  const shape = z.array(
    z.object({
      instanceId: z.int(),
      alias: z.string().refine(isAlias),
      accountKey: z.string(),
      name: z.string().refine(isTerminalName),
    }),
  );
  return shape.safeParse(value).data ?? [];
}

const stateKey = 'terminals';
/** The oldest are forgotten. They run on, and the next look at their machine lists them. */
const mostKept = 50;
/** After a connection has ended here, until its machine knows (ms). */
const noticeMs = 2_000;
const slowLoginS = 120;
/** The exit code of ssh for a connection that broke. */
const lostCode = 255;

/**
 * The terminals that this workspace has opened in a tmux of their own, by the names that the editor keeps for it. Whether
 * they still run is known from logins that are made anyway, and from one after a terminal was closed.
 */
export class KeptTerminals implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<undefined>());
  readonly onDidChange = this.changed.event;
  private readonly lost = this.store.add(new Emitter<LostTerminal>());
  /** The connection of a terminal that this window showed broke. */
  readonly onDidLose = this.lost.event;
  private kept: readonly KeptTerminal[];
  /** What machines last said, by alias. */
  private readonly seen = new Map<string, TerminalsSeen>();
  /** When this window began to show one, by alias and name. */
  private readonly shownAt = new Map<string, number>();
  private readonly looks = new Map<string, Promise<boolean>>();
  private readonly soon = new Map<string, Disposable>();
  /** Accounts for which the terminals of the last window were offered. */
  private readonly offered = new Set<string>();
  private isOffering = false;

  constructor(
    private readonly deps: KeptTerminalsDeps,
    private readonly reattach: (terminals: readonly KeptTerminal[]) => Promise<void>,
  ) {
    this.kept = readKept(deps.workspaceState.get<unknown>(stateKey));
    this.store.add(vscode.window.onDidOpenTerminal(() => this.changed.fire(undefined)));
    this.store.add(vscode.window.onDidCloseTerminal((terminal) => this.onClosed(terminal)));
    this.store.add(deps.fleet.onDidChange(() => this.compare()));
    this.store.add(onAccountEnd(deps, (accountKey) => this.keepOnly((one) => one.accountKey !== accountKey)));
    this.compare();
  }

  dispose(): void {
    this.soon.forEach((look) => look.dispose());
    this.store.dispose();
  }

  /** Returns those of an instance that this window does not show, with what is known of them. */
  leftOn(instanceId: number): readonly (KeptTerminal & { readonly last: KeptOnMachine | undefined })[] {
    const account = this.deps.accounts.active;
    const instance = this.deps.fleet.find(instanceId);
    if (!account || instance?.actualStatus !== 'running') {
      return [];
    }
    const alias = this.deps.ssh.aliasOf(account, instanceId);
    const last = new Map(this.seen.get(alias)?.kept.map((one) => [one.name, one]));
    const shown = this.shownOf(alias);
    const names = new Set([...this.namesOf(alias), ...last.keys()]);
    return [...names]
      .filter((name) => !shown.includes(name))
      .map((name) => ({ instanceId, alias, accountKey: account.key, name, last: last.get(name) }));
  }

  /** Returns false once it has ended, as far as is known. */
  isKept({ alias, name }: KeptTerminal): boolean {
    return this.namesOf(alias).includes(name);
  }

  /** Returns whether another window took one over since this one opened it. */
  isTaken({ alias, name }: KeptTerminal): boolean {
    const last = this.seen.get(alias)?.kept.find((one) => one.name === name);
    const here = (this.deps.clock.now() - (this.shownAt.get(`${alias} ${name}`) ?? 0)) / 1000;
    // The machine counts from the login, for which the user may have typed a passphrase.
    return last?.isShown === true && last.shownSince < here - slowLoginS;
  }

  /** Returns whether terminals are to keep running, which a machine without tmux can't do. */
  get isWanted(): boolean {
    return this.deps.settings.get('gpuRental.terminal.tmux') === 'own';
  }

  /** Returns the parts of a new terminal that decide where it runs, and whether it outlives its connection. */
  begin(
    { alias, seen }: TerminalLogin,
    of: Pick<KeptTerminal, 'instanceId' | 'accountKey'>,
  ): Pick<OwnTerminalOptions, 'shellPath' | 'shellArgs' | 'isRemote'> {
    if (seen) {
      this.note(alias, seen);
    }
    if (!this.isWanted || seen?.tmux !== 'there') {
      const [shellPath, ...shellArgs] = this.deps.ssh.command(alias);
      return { shellPath, shellArgs };
    }
    return this.show({ ...of, alias, name: this.freeName(alias) });
  }

  /** Returns the same for one that runs, and remembers it. A window on the instance needs no login for that. */
  show(
    terminal: KeptTerminal,
    program?: string,
  ): Pick<OwnTerminalOptions, 'shellPath' | 'shellArgs' | 'isRemote'> {
    const { alias, name } = terminal;
    const others = this.kept.filter((one) => one.alias !== alias || one.name !== name);
    this.keep([...others.slice(1 - mostKept), terminal]);
    this.shownAt.set(`${alias} ${name}`, this.deps.clock.now());
    return this.with(alias, keptTerminalScript(name, program));
  }

  /** Returns the same for a program, which ends with its connection where terminals are not to keep running. */
  running(
    terminal: KeptTerminal,
    program: string,
  ): Pick<OwnTerminalOptions, 'shellPath' | 'shellArgs' | 'isRemote'> {
    return this.isWanted ? this.show(terminal, program) : this.with(terminal.alias, `exec ${program}`);
  }

  private with(alias: string, script: string) {
    if (alias === aliasOfWindow()) {
      return { shellPath: '/bin/sh', shellArgs: ['-c', script], isRemote: true as const };
    }
    const [shellPath, ...shellArgs] = terminalCommand(this.deps.ssh.command(alias), script);
    return { shellPath, shellArgs };
  }

  /** Notes the answer of a machine: of those that it lacks, none runs. */
  note(alias: string, seen: TerminalsSeen): void {
    this.seen.set(alias, seen);
    const names = [...seen.kept.map(({ name }) => name), ...this.shownOf(alias)];
    this.keepOnly((one) => one.alias !== alias || names.includes(one.name));
    this.changed.fire(undefined);
  }

  /** Looks which of them still run, once at a time; returns whether the machine answered. No answer changes nothing. */
  look({ alias, accountKey }: Pick<KeptTerminal, 'alias' | 'accountKey'>): Promise<boolean> {
    const under = this.looks.get(alias);
    if (under || this.deps.accounts.active?.key !== accountKey) {
      return under ?? Promise.resolve(false);
    }
    const look = readTerminals(this.deps.ssh, alias)
      .catch((error: unknown) => {
        this.deps.log.info(`The terminals of ${alias} are not known: ${String(error)}`);
      })
      .then((seen) => {
        if (seen) {
          this.note(alias, seen);
        }
        return seen !== undefined;
      })
      .finally(() => this.looks.delete(alias));
    this.looks.set(alias, look);
    return look;
  }

  /** Once for several that close together, and once the machine has noticed the end of the connection. */
  private lookSoon(one: KeptTerminal): void {
    this.soon.get(one.alias)?.dispose();
    this.soon.set(
      one.alias,
      this.deps.clock.schedule(() => void this.look(one), noticeMs),
    );
  }

  private namesOf(alias: string): readonly string[] {
    return this.kept.filter((one) => one.alias === alias).map(({ name }) => name);
  }

  /** The names of those that this window shows. */
  private shownOf(alias: string): readonly string[] {
    return vscode.window.terminals.flatMap((terminal) => {
      const { alias: of, name } = terminalParts(terminal);
      return of === alias && name !== undefined && terminal.exitStatus === undefined ? name : [];
    });
  }

  /** The name of the folder and a number that no terminal of the machine has. */
  private freeName(alias: string): string {
    const folder = (vscode.workspace.workspaceFolders?.[0]?.name ?? '')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 30);
    const base = isTerminalName(folder) ? folder : 'terminal';
    const taken = [
      ...this.namesOf(alias),
      ...this.shownOf(alias),
      ...(this.seen.get(alias)?.kept ?? []).map(({ name }) => name),
    ];
    for (let number = 1; ; number += 1) {
      if (!taken.includes(`${base}-${number}`)) {
        return `${base}-${number}`;
      }
    }
  }

  private onClosed(terminal: vscode.Terminal): void {
    const { alias, name } = terminalParts(terminal);
    const one = this.kept.find((kept) => kept.alias === alias && kept.name === name);
    if (!one) {
      return;
    }
    const { reason, code } = terminal.exitStatus ?? {};
    if (reason === vscode.TerminalExitReason.Extension) {
      // Its machine is being stopped (endedTerminals.ts).
      this.keepOnly((other) => other !== one);
    } else if (reason === vscode.TerminalExitReason.Process && code === lostCode) {
      this.lost.fire({ terminal, one });
    } else if (reason !== vscode.TerminalExitReason.Shutdown) {
      // tmux ends with 0 where its shell has ended, and where it goes on without this window.
      this.lookSoon(one);
    }
    this.changed.fire(undefined);
  }

  /** Forgets what ended with its machine, and offers what the last window left there. */
  private compare(): void {
    const { accounts, clock, fleet } = this.deps;
    const account = accounts.active;
    if (!account || fleet.state.kind !== 'ready') {
      return;
    }
    const hasEnded = ({ accountKey, instanceId }: KeptTerminal) => {
      const instance = fleet.find(instanceId);
      return (
        accountKey === account.key &&
        (instance
          ? stateOf(instance, fleet.facts(instanceId), clock.now()) === 'stopped'
          : fleet.hasEnded(instanceId))
      );
    };
    this.keepOnly((one) => !hasEnded(one));
    if (!this.offered.has(account.key)) {
      this.offered.add(account.key);
      this.offer();
    }
  }

  /** Those of this workspace that this window does not show, on instances that run. */
  private get left(): readonly KeptTerminal[] {
    const { accounts, fleet } = this.deps;
    return this.kept.filter(
      (one) =>
        one.accountKey === accounts.active?.key &&
        fleet.find(one.instanceId)?.actualStatus === 'running' &&
        !this.shownOf(one.alias).includes(one.name),
    );
  }

  /** Offers to open them, in one message at a time. */
  private offer(): void {
    const { fleet } = this.deps;
    const { left } = this;
    if (left.length === 0 || this.isOffering || !this.isWanted) {
      return;
    }
    const machines = new Set(
      left.map(({ instanceId }) => {
        const instance = fleet.find(instanceId);
        return instance ? plainLabel(instanceName(instance)) : `#${instanceId}`;
      }),
    );
    this.isOffering = true;
    void suggest(
      'info',
      t(
        'Terminals are still running on {0}: {1}',
        [...machines].join(', '),
        left.map(({ name }) => name).join(', '),
      ),
      { label: t('Reattach ({0})', left.length), run: () => this.reattach(this.left) },
    )
      .catch((error: unknown) => reportProblem(error))
      .finally(() => {
        this.isOffering = false;
      });
  }

  private keepOnly(isKept: (one: KeptTerminal) => boolean): void {
    const kept = this.kept.filter(isKept);
    if (kept.length < this.kept.length) {
      this.keep(kept);
    }
  }

  private keep(kept: readonly KeptTerminal[]): void {
    this.kept = kept;
    this.deps.workspaceState
      .update(stateKey, kept.length === 0 ? undefined : kept)
      .then(undefined, (error: unknown) =>
        this.deps.log.error('The names of terminals could not be kept', error),
      );
    this.changed.fire(undefined);
  }
}
