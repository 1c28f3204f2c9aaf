import { withoutSharedTmux } from '../model/instances/sharedTmux';
import type { Clock } from '../util/clock';
import { defined } from '../util/defined';
import { ScriptAnswer } from './answer';
import { unescaped } from './effectiveConfig';
import { changedHostKey } from './hostKey';
import { keyTroubleOf, type KeyTrouble } from './keyTrouble';
import { plainText } from './plainText';
import type { Run, RunResult } from './run';

export type PreflightProblem =
  | 'refused'
  | 'timedOut'
  | 'unreachable'
  | 'unresolved'
  | 'authentication'
  /** The machine accepts the key, and this computer did not sign with it: locked, not confirmed, or not plugged in. */
  | 'notSigned'
  /** ssh ignores a key because other users of this computer can read its file; `detail` names the file. */
  | 'unprotectedKey'
  /** ssh can't use a key of this computer for another reason, which `trouble` names; `detail` is its file. */
  | 'unusableKey'
  | 'hostKeyChanged'
  /** The machine's log names another host key than this first contact. */
  | 'hostKeyNotPrinted'
  | 'noGreeting'
  | 'startupScript'
  | 'diskFull'
  | 'config'
  | 'other';

/** Another server may be at the address; ssh would ask the user to trust a first one, without the log. */
export const hostKeyProblems: readonly PreflightProblem[] = ['hostKeyChanged', 'hostKeyNotPrinted'];

export type PreflightResult =
  | {
      readonly ok: true;
      readonly elapsedMs: number;
      /** The machine prints text or reads input at every login, tmux for example; terminals work, some editors fail. */
      readonly noisy: boolean;
      /** Free space of the home folder; `undefined` if the machine did not report it. */
      readonly freeMb: number | undefined;
      /** What the script `also` printed. */
      readonly also?: string;
    }
  | {
      readonly ok: false;
      readonly problem: PreflightProblem;
      /** The message of ssh or the machine, made safe to display. */
      readonly detail: string;
      /** The keys that were offered, as `SHA256:…` or a file name. */
      readonly keysTried: readonly string[];
      /** Their files by `SHA256:…`, as far as ssh names one. */
      readonly keyFiles?: Readonly<Record<string, string>>;
      /** With `unusableKey`. */
      readonly trouble?: KeyTrouble;
      /** The fingerprint of the host key that was offered in place of the known one. */
      readonly offeredHostKey?: string;
      /** True if the log of the instance names that host key. */
      readonly isPrinted?: boolean;
    };

export type Failure = Extract<PreflightResult, { readonly ok: false }>;

/** For logins in which the user runs nothing, though the entry may forward the agent. */
export const withoutAgent = ['-o', 'ForwardAgent=no'] as const;

/** A remote editor's server needs about this much; with less its first start fails half-way. */
const neededMb = 300;
/** How long a login may take, in seconds: by default, and if the user allowed more. */
const usualWait = { answer: 15, all: 30 };
const longWait = { answer: 60, all: 90 };

export interface PreflightOptions {
  readonly signal?: AbortSignal | undefined;
  readonly isPatient?: boolean | undefined;
  /** Returns the log of the instance; read once, after a first contact that let us in. */
  readonly log?: (() => Promise<string>) | undefined;
  /** A script that the same login runs, to spare another one. It has no input. */
  readonly also?: string;
}

/** Separates the answer of that script. */
const alsoMark = 'gpu-rental also';

/**
 * Logs in by the same config that the editor will use, and has the machine answer. Never asks a question, because it would
 * appear behind a window.
 */
export async function runPreflight(
  deps: {
    readonly run: Run;
    readonly clock: Clock;
    readonly command: readonly [program: string, ...args: string[]];
    /** Options for this login alone. */
    readonly options?: readonly string[];
    /** The key of the entry; without it, messages about any key count. */
    readonly identityFile?: string | undefined;
    /** Leaves the service's shared tmux on, where the user wants it. */
    readonly keepsSharedTmux?: boolean | undefined;
  },
  alias: string,
  { signal, isPatient, also }: PreflightOptions = {},
): Promise<PreflightResult> {
  const wait = isPatient === true ? longWait : usualWait;
  const answer = new ScriptAnswer(true);
  const [program, ...before] = deps.command;
  const startedAt = deps.clock.elapsed();
  const result = await deps.run(
    program,
    [
      ...before,
      '-v',
      ...['-o', 'NumberOfPasswordPrompts=0'],
      ...['-o', `ConnectTimeout=${wait.answer}`],
      ...['-o', 'ClearAllForwardings=yes'],
      ...withoutAgent,
      ...(deps.options ?? []).flatMap((option) => ['-o', option]),
      alias,
      answer.command,
    ],
    {
      signal,
      timeoutMs: wait.all * 1000,
      input: answer.input(
        [
          'df -Pk . 2>/dev/null | tail -n 1',
          ...(deps.keepsSharedTmux === true ? [] : [withoutSharedTmux]),
          ...(also === undefined ? [] : [`echo '${alsoMark}'`, also]),
        ].join('\n'),
      ),
      sieve: answer,
    },
  );
  return judge(result, answer, deps.clock.elapsed() - startedAt, deps.identityFile);
}

function judge(
  result: RunResult,
  { hasBegun, isLost, noise }: ScriptAnswer,
  elapsedMs: number,
  identityFile: string | undefined,
): PreflightResult {
  const { stderr } = result;
  const [stdout = '', also = ''] = result.stdout.split(`${alsoMark}\n`);
  if (!hasBegun) {
    return failureOf({ ...result, stdout: noise }, plainText(lastLines(stderr, noise)), identityFile);
  }
  const free = /\s\d+\s+\d+\s+(\d+)\s+\d+%\s/.exec(stdout)?.[1];
  const freeMb = free === undefined ? undefined : Math.floor(Number(free) / 1024);
  if ((freeMb !== undefined && freeMb < neededMb) || /No space left on device/.test(noise + stderr)) {
    return { ok: false, problem: 'diskFull', detail: freeText(freeMb), keysTried: offeredKeys(stderr) };
  }
  return { ok: true, elapsedMs, noisy: isLost || noise.trim() !== '', freeMb, also };
}

/** A disk on which not even a message fits has nothing left. */
function freeText(freeMb = 0): string {
  return `${freeMb} MB`;
}

/**
 * Returns why a login by `exec` did not reach its script. ssh itself ends with 255, a shell that ended early with
 * another code.
 */
export function whyNoLogin(result: RunResult): Failure {
  const failure = failureOf(result, plainText(lastLines(result.stderr, result.stdout)));
  const isShell = failure.problem === 'other' && result.code !== null && result.code !== 255;
  return isShell ? { ...failure, problem: 'startupScript' } : failure;
}

function failureOf(
  { stdout, stderr, timedOut }: RunResult,
  messagesText: string,
  identityFile?: string,
): Failure {
  const found = timedOut ? 'timedOut' : problemOf(stderr, stdout);
  const trouble = keyProblems.includes(found) ? ownTrouble(stderr, found, identityFile) : undefined;
  const problem = trouble ? (problemOfTrouble[trouble.kind] ?? 'unusableKey') : found;
  const keyFiles = Object.fromEntries(offers(stderr).flatMap(({ key, file }) => (file ? [[key, file]] : [])));
  return defined<Failure>({
    ok: false,
    problem,
    detail: problem === 'diskFull' ? freeText() : (trouble?.file ?? messagesText),
    keysTried: offeredKeys(stderr),
    keyFiles,
    trouble: problem === 'unusableKey' ? trouble : undefined,
    offeredHostKey: problem === 'hostKeyChanged' ? offeredHostKey(stderr) : undefined,
    isPrinted: undefined,
  });
}

/** How a login ends whose key this computer can't use: refused in the end, or still waiting for the user. */
const keyProblems: readonly PreflightProblem[] = ['authentication', 'timedOut', 'other'];

const problemOfTrouble: Partial<Record<KeyTrouble['kind'], PreflightProblem>> = {
  unprotected: 'unprotectedKey',
  notSigned: 'notSigned',
};

/**
 * Messages of ssh about a key are used first; a key that the machine accepted may also wait silently for its agent.
 */
function ownTrouble(
  stderr: string,
  found: PreflightProblem,
  identityFile: string | undefined,
): KeyTrouble | undefined {
  const trouble = found === 'timedOut' ? undefined : keyTroubleOf(afterLogin(stderr), identityFile);
  return (
    trouble ?? (found !== 'other' && isUnsigned(stderr) ? { kind: 'notSigned', file: undefined } : undefined)
  );
}

/** A jump host offers its own before. */
function offeredHostKey(stderr: string): string | undefined {
  return [...stderr.matchAll(/^debug1: Server host key: \S+ (SHA256:[A-Za-z0-9+/]{43})\r?$/gm)].at(-1)?.[1];
}

/** Returns whether the last key that a machine accepted led to no login. A jump host has a login of its own before. */
function isUnsigned(stderr: string): boolean {
  const accepted = /^(?:debug1: Server accepts key: |sign_and_send_pubkey: signing failed)/gm;
  const last = [...stderr.matchAll(accepted)].at(-1);
  return last !== undefined && !/^Authenticated to /m.test(stderr.slice(last.index));
}

/** ssh distinguishes its failures by text only; we request English. */
const wordings: readonly (readonly [RegExp, PreflightProblem])[] = [
  [changedHostKey, 'hostKeyChanged'],
  [/No space left on device/, 'diskFull'],
  [/Permission denied \(|Too many authentication failures|No more authentication methods/, 'authentication'],
  [/Could not resolve hostname|Name or service not known/, 'unresolved'],
  [/Connection refused/, 'refused'],
  [
    /during banner exchange|kex_exchange_identification|Connection (?:closed|reset) by|ssh_exchange/,
    'noGreeting',
  ],
  [/timed out/i, 'timedOut'],
  [/No route to host|Network is unreachable|Host is down/, 'unreachable'],
  [
    /Bad configuration option|bad configuration options|Bad (?:owner or )?permissions|: Bad .* on line/,
    'config',
  ],
  [/open terminal failed|sessions should be nested with care|not a terminal/, 'startupScript'],
];

function problemOf(stderr: string, stdout: string): PreflightProblem {
  const words = messages(stderr).join('\n');
  const known = wordings.find(([pattern]) => pattern.test(words))?.[1];
  if (known) {
    return known;
  }
  // The login worked, and the shell ended before our command: its startup files caused that.
  return /Authenticated to /.test(stderr) || stdout !== '' ? 'startupScript' : 'other';
}

interface Offer {
  /** `SHA256:…`, or the text of an old version. */
  readonly key: string;
  readonly file: string | undefined;
}

/** ssh names file, kind and fingerprint of a key; OpenSSH before 7.9 kind, fingerprint and file. */
function offers(stderr: string): readonly Offer[] {
  return [...stderr.matchAll(/^debug1: Offering public key: (.+?)\r?$/gm)].map(([, line = '']) => {
    const [key] = /SHA256:[A-Za-z0-9+/]+/.exec(line) ?? [];
    const at = line.indexOf(key ?? line);
    const words = line.slice(0, at).trim().split(' ');
    // The word before the fingerprint is the kind of the key.
    const before = words.slice(0, -1).join(' ');
    const older = line
      .slice(at + (key ?? line).length)
      .trim()
      .replace(/^(?:explicit|agent|token|hostbased)\b.*/, '');
    const file = before === '' ? older : before;
    return {
      key: plainText(key ?? line),
      file: file === '' ? undefined : plainText(unescaped(file)),
    };
  });
}

function offeredKeys(stderr: string): readonly string[] {
  return [...new Set(offers(stderr).map(({ key }) => key))];
}

function lastLines(stderr: string, stdout: string): string {
  const messagesText = messages(stderr);
  return (messagesText.length > 0 ? messagesText : stdout.split(/\r?\n/))
    .filter((line) => line.trim() !== '')
    .slice(-3)
    .join(' ');
}

/** Returns the messages of ssh after its last login, with `-v`: before it, machines greet with a banner. */
export function afterLogin(stderr: string): string {
  const last = [...stderr.matchAll(/^Authenticated to .*$/gm)].at(-1);
  return last === undefined ? stderr : stderr.slice(last.index + last[0].length);
}

function messages(stderr: string): string[] {
  return afterLogin(stderr)
    .split(/\r?\n/)
    .filter(
      (line) => !/^debug\d: |^OpenSSH_|^Authenticated to |^Transferred: |^Bytes per second: /.test(line),
    )
    .filter((line) => line.trim() !== '' && !/^Pseudo-terminal will not be allocated/.test(line));
}
