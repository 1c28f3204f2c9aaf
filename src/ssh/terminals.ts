import { UserError } from '../util/errors';
import { text } from '../util/text';
import { byPosixShell, quoteForShell } from './commandLine';
import { plainText } from './plainText';
import type { RunOptions } from './run';
import type { SshService } from './service';
import terminals from './terminals.sh';

/** A terminal of ours that a tmux on the machine keeps, whether a window shows it or not. */
export interface KeptOnMachine {
  readonly name: string;
  /** A window of some computer shows it, which may have lost its connection. */
  readonly isShown: boolean;
  /** Seconds since a window began to show it. */
  readonly shownSince: number;
  /** A program runs in it, or it may. */
  readonly isBusy: boolean;
  /** The program in front, which is the shell where none runs. */
  readonly command: string;
}

/** What a machine says of our terminals. */
export interface TerminalsSeen {
  /** Whether it has tmux, or could have it. */
  readonly tmux: 'there' | 'installable' | 'missing';
  readonly kept: readonly KeptOnMachine[];
}

/** For a login that is made anyway; `parseTerminals` reads its output. */
export const terminalsScript = terminals;

const namePattern = /^[a-z0-9][a-z0-9-]{0,39}$/;
const timeoutMs = 30_000;
/** As many as the script lists. */
const mostListed = 100;

export function isTerminalName(value: unknown): value is string {
  return typeof value === 'string' && namePattern.test(value);
}

/** Returns undefined without a whole answer, which never means that there are none. */
export function parseTerminals(output: string): TerminalsSeen | undefined {
  const lines = output.split(/\r?\n/);
  const tmux = lines.flatMap((line) => /^tmux (there|apt|none)$/.exec(line)?.[1] ?? [])[0];
  if (tmux === undefined || !lines.includes('end')) {
    return undefined;
  }
  const kept = new Map<string, KeptOnMachine>();
  for (const line of lines) {
    const [, name = '', attached, since, state, command = ''] =
      /^session (\S+) (\d+)\/(-?\d{1,12}) (idle|busy) ?(.*)$/.exec(line) ?? [];
    if (isTerminalName(name) && (kept.has(name) || kept.size < mostListed)) {
      const isBusy = state === 'busy' || kept.get(name)?.isBusy === true;
      const isShown = attached !== '0';
      const shown = plainText(command).slice(0, 40);
      kept.set(name, { name, isShown, shownSince: Number(since), isBusy, command: shown });
    }
  }
  return {
    tmux: tmux === 'there' ? 'there' : tmux === 'apt' ? 'installable' : 'missing',
    kept: [...kept.values()],
  };
}

type Exec = Pick<SshService, 'exec'>;
type Signal = Pick<RunOptions, 'signal'>['signal'];

export function readTerminals(ssh: Exec, alias: string, signal?: Signal): Promise<TerminalsSeen | undefined> {
  return run(ssh, alias, '', signal);
}

/** Ends a terminal, unless a program runs in it and that is not agreed; the answer still lists it then. */
export function endTerminal(
  ssh: Exec,
  alias: string,
  { name, isAgreed }: { readonly name: string; readonly isAgreed: boolean },
  signal?: Signal,
): Promise<TerminalsSeen | undefined> {
  return run(ssh, alias, `${isAgreed ? 'kill' : 'end'} ${checkName(name)}\n`, signal);
}

async function run(ssh: Exec, alias: string, input: string, signal: Signal) {
  return parseTerminals(
    (await ssh.exec(alias, terminals, { input, timeoutMs, signal, isLook: true })).stdout,
  );
}

/**
 * For our own server alone, set each time since a running one keeps what it has. Without a status line, a prefix and
 * the menu of the mouse, whose entries end programs, it feels like the shell itself.
 */
const options = [
  'set -gq status off',
  'set -gq prefix None',
  'set -gq mouse on',
  'set -gq history-limit 50000',
  'set -sq escape-time 10',
  'set -gq default-terminal screen-256color',
  'unbind -n MouseDown3Pane',
  'unbind -n M-MouseDown3Pane',
];

/**
 * Returns the script of a terminal that outlives its connection: it attaches to the one of this name, or makes it with the
 * login shell of the user or another program. No file of the machine configures it. Where tmux can't begin, it is the
 * program itself.
 */
export function keptTerminalScript(name: string, program?: string): string {
  const what = program === undefined ? '' : ` ${quoteForShell(program)}`;
  const begin = ['start-server', ...options, `new-session -A -D -s ${checkName(name)}${what}`].join(' \\; ');
  return [
    'unset TMUX',
    `command -v tmux >/dev/null 2>&1 && tmux -u -L gpu-rental -f /dev/null ${begin} && exit`,
    `exec ${program ?? '${SHELL:-/bin/sh} -l'}`,
  ].join('; ');
}

/** Returns the arguments of ssh for a terminal with such a script. Only the last one has a say in what runs. */
export function terminalCommand(
  [program, ...args]: readonly [program: string, ...args: string[]],
  script: string,
): readonly [program: string, ...args: string[]] {
  const alias = args.at(-1) ?? '';
  const ours = ['-t', '-o', 'RemoteCommand=none', alias, byPosixShell(script)];
  return [program, ...args.slice(0, -1), ...ours];
}

/** Returns the name of the terminal that a program of the editor keeps; undefined for any other program. */
export function keptNameInArguments(args: unknown): string | undefined {
  const last: unknown = Array.isArray(args) ? args.at(-1) : undefined;
  return typeof last === 'string' ? / new-session -A -D -s ([a-z0-9-]+) /.exec(last)?.[1] : undefined;
}

/** The program of a machine's boot may install something itself. */
const apt = 'apt-get -o DPkg::Lock::Timeout=60';
const install = `${apt} install -y --no-install-recommends tmux`;
const installScript = [
  'export DEBIAN_FRONTEND=noninteractive LC_ALL=C',
  `{ ${install} || { ${apt} update && ${install}; }; } </dev/null >&2`,
].join('\n');

/** Installs tmux, which the user agreed to. */
export async function installTmux(ssh: Exec, alias: string, signal?: Signal): Promise<void> {
  const { code, stderr } = await ssh.exec(alias, installScript, {
    timeoutMs: 300_000,
    signal,
    keepsEnd: true,
  });
  if (code !== 0) {
    const last = plainText(stderr.trimEnd().split('\n').at(-1) ?? '');
    throw new UserError(text('Could not install tmux: {0}', last === '' ? '–' : last), {
      nextStep: 'retry',
    });
  }
}

function checkName(name: string): string {
  if (!isTerminalName(name)) {
    throw new Error('Not the name of a terminal');
  }
  return name;
}
