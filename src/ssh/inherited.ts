import { quoteForShell } from './commandLine';
import type { HostEntry } from './hostConfig';
import { forwardSlashes, tokenPath } from './paths';

/**
 * What a line of the user for all hosts does beside our entry, though ours comes first in the file:
 * - `givesAway`: sends something of this computer to the machine. Named before a window or terminal opens.
 * - `crowdsOut`: ssh offers its keys, and a machine ends the login after a few.
 * - `opensPorts`: a port that another session of the user may hold. Windows and terminals open it, as the user wants.
 * - `breaks`: no command or no input at all. Ours can't be in the entry, since older versions of ssh reject a config
 *   with an option that they don't know.
 * A login in the background leaves out all of them.
 */
type Effect = 'givesAway' | 'crowdsOut' | 'opensPorts' | 'breaks';

export interface Rule {
  readonly effect: Effect;
  /** How the value begins that `ssh -G` prints where no line sets the option, or that does no harm. */
  readonly harmless?: RegExp;
}

/** Language and terminal, which distributions send to all hosts: names as in `SendEnv`. */
export const harmlessVariables = [
  'LANG',
  'LANGUAGE',
  'LC_*',
  'TERM',
  'COLORTERM',
  'NO_COLOR',
  'TZ',
  'XMODIFIERS',
] as const;
const harmlessVariable = new RegExp(`^(?:${harmlessVariables.join('|').replace('*', '[\\w*]+')})(?:=|$)`);

/**
 * All options whose lines our entry can't override, by their name in lower case. All but `SetEnv` and the last two add
 * up; of all others, the first line counts. Source: readconf.c of OpenSSH 10.1, where a value is added to what is there
 * (`opt_array_append`, `add_identity_file`, `add_certificate_file`, `add_local_forward`, `add_remote_forward`).
 */
export const inherited: Readonly<Record<string, Rule>> = {
  // -* in our entry cancels the lines above it, and nothing cancels those below.
  sendenv: { effect: 'givesAway', harmless: harmlessVariable },
  // The first line counts, and ours would be an error before OpenSSH 7.8.
  setenv: { effect: 'givesAway', harmless: harmlessVariable },
  // ClearAllForwardings would also end the forward that windows need.
  remoteforward: { effect: 'givesAway' },
  // `none` counts if it is the only value.
  identityfile: { effect: 'crowdsOut' },
  // Certificates are offered before every plain key, wherever their line is.
  certificatefile: { effect: 'crowdsOut' },
  localforward: { effect: 'opensPorts' },
  dynamicforward: { effect: 'opensPorts' },
  // OpenSSH 8.7 and later.
  sessiontype: { effect: 'breaks', harmless: /^default$/ },
  stdinnull: { effect: 'breaks', harmless: /^no$/ },
};

export interface InheritedLine {
  readonly option: string;
  readonly found: string;
}

interface PrintedLine {
  readonly option: string;
  readonly value: string;
}

/** Parses the output of `ssh -G`. */
export function printedLines(stdout: string): readonly PrintedLine[] {
  return stdout.split(/\r?\n/).flatMap((line) => {
    const [, option = '', value = ''] = /^(\S+) (.*\S)\s*$/.exec(line) ?? [];
    return option === '' ? [] : [{ option: option.toLowerCase(), value }];
  });
}

/** Returns the lines of the user with an effect, as `ssh -G` prints them for an entry of ours. */
export function inheritedLines(lines: readonly PrintedLine[], effect: Effect): readonly InheritedLine[] {
  return lines.flatMap(({ option, value }) => {
    const rule = inherited[option];
    return rule?.effect === effect && rule.harmless?.test(value) !== true ? [{ option, found: value }] : [];
  });
}

/** sshd ends a connection with the sixth refused key, unless `MaxAuthTries` of the machine is lower (number of keys). */
const mostTries = 6;
/** How many other keys may be offered before ours without a measure: strict servers allow three tries. */
const mostBefore = 2;

/** ssh looks for these where no line names a key; prints them as they are here. */
const defaultKey = /^~[/\\]\.ssh[/\\]id_[a-z0-9]+(?:_sk)?$/;

/** What the entry of a machine does about other keys that ssh would offer before its own. */
export interface KeyMeasures {
  /** Without the agent, ssh offers keys in the order of their lines, of which ours is the first. */
  readonly withoutAgent?: boolean;
  readonly withoutCertificates?: boolean;
}

/** Returns what the entry of a key needs, from what `ssh -G` prints for a host without one. */
export function keyMeasures(stdout: string, worksWithoutAgent: boolean): KeyMeasures {
  const lines = printedLines(stdout);
  const keys = inheritedLines(lines, 'crowdsOut').filter(({ found }) => !defaultKey.test(found));
  if (keys.length <= mostBefore) {
    return {};
  }
  // Older versions have another name for it, and the oldest of them accept no minus.
  const canFilter = lines.some(({ option }) => option === 'pubkeyacceptedalgorithms');
  return {
    ...(worksWithoutAgent ? { withoutAgent: true } : {}),
    ...(canFilter && keys.some(isCertificate) ? { withoutCertificates: true } : {}),
  };
}

const isCertificate = ({ option }: InheritedLine) => option === 'certificatefile';

/**
 * Returns the first line that has ssh offer so many keys before that of an entry that its own is never reached;
 * `undefined` if there is none.
 */
export function crowdingLine(
  lines: readonly PrintedLine[],
  entry: Pick<HostEntry, 'identityFile' | 'withoutAgent' | 'withoutCertificates'>,
): InheritedLine | undefined {
  const keys = inheritedLines(lines, 'crowdsOut');
  const [, ...files] = keys.filter((key) => !isCertificate(key));
  const before = [
    ...(entry.withoutCertificates === true ? [] : keys.filter(isCertificate)),
    ...(entry.withoutAgent === true ? [] : files),
  ];
  return entry.identityFile !== undefined && before.length >= mostTries ? before[0] : undefined;
}

/** Options of which the rest of the line is the value, or each word is one; every other value is a single word. */
const wholeLine: readonly string[] = [
  ...['proxycommand', 'localcommand', 'remotecommand', 'knownhostscommand'],
  ...['ipqos', 'rekeylimit', 'logverbose', 'channeltimeout', 'permitremoteopen', 'addkeystoagent'],
  'revokedhostkeys',
];

/**
 * Options that every login of ours sets on the command line, or what ssh has already done with the name of the host.
 */
const notRepeated =
  /^(?:host|(?:user|global)knownhostsfile|canonical\w*|clearallforwardings|controlpath|controlmaster)$/;

/** The ssh that reaches jump hosts, by the user's config. */
export interface JumpCommand {
  readonly command: readonly [program: string, ...args: string[]];
  readonly platform: NodeJS.Platform;
}

/**
 * Returns options that replace the user's config without the lines that our entry can't override; none if it
 * has no such lines. `printed` is what `ssh -G` prints for the entry, `defaults` what it prints without any
 * config. They are placed before the name of the host: of options on the command line, the first counts, too.
 */
export function withoutInherited(
  printed: string,
  defaults: string,
  entry: Pick<HostEntry, 'identityFile'>,
  jump: JumpCommand,
): readonly string[] {
  const lines = printedLines(printed);
  const usual = new Set(printedLines(defaults).map(({ option, value }) => `${option} ${value}`));
  const options = lines.flatMap(({ option, value }) => {
    if (usual.has(`${option} ${value}`) || notRepeated.test(option)) {
      return [];
    }
    if (option === 'identityfile' && entry.identityFile === undefined) {
      return [`IdentityFile=${oneWord(value)}`];
    }
    if (inherited[option]) {
      return [];
    }
    return option === 'proxyjump'
      ? [`ProxyCommand=${jumpBy(jump, value)}`]
      : [`${option}=${wholeLine.includes(option) ? value : oneWord(value)}`];
  });
  const key =
    entry.identityFile === undefined
      ? []
      : [`IdentityFile=${tokenPath(entry.identityFile)}`, 'IdentitiesOnly=yes'];
  return ['-F', 'none', ...[...key, ...options].flatMap((option) => ['-o', option])];
}

/** Returns whether a login in the background has to leave something of the config out. */
export function hasInherited(printed: string, entry: Pick<HostEntry, 'identityFile'>): boolean {
  const lines = printedLines(printed);
  const effects = ['givesAway', 'opensPorts', 'breaks'] as const;
  return (
    effects.some((effect) => inheritedLines(lines, effect).length > 0) ||
    (entry.identityFile !== undefined && inheritedLines(lines, 'crowdsOut').length - 1 > mostBefore)
  );
}

/** ssh prints a value without the quotes that it needs. */
function oneWord(value: string): string {
  const word = /^(?:[A-Za-z]:)?\\/.test(value) ? forwardSlashes(value) : value;
  return /[\s#']/.test(word) && !word.includes('"') ? `"${word}"` : word;
}

/**
 * Returns the command that `ProxyJump` means (ssh.c of OpenSSH): ssh would give
 * the jump host the config that it has itself, which is none here.
 */
function jumpBy({ command, platform }: JumpCommand, value: string): string {
  const quote = (word: string) =>
    platform === 'win32' ? (/[\s"]/.test(word) ? `"${word}"` : word) : quoteForShell(word);
  const hops = value.split(',');
  const [, user, address = '', port] = /^(?:(.*)@)?(\[.*\]|[^:]*)(?::(\d+))?$/.exec(hops.at(-1) ?? '') ?? [];
  const words = [
    ...command,
    ...(user === undefined ? [] : ['-l', user]),
    ...(port === undefined ? [] : ['-p', port]),
    ...(hops.length > 1 ? ['-J', hops.slice(0, -1).join(',')] : []),
  ].map((word) => quote(word).replaceAll('%', '%%'));
  return [...words, '-W', quote('[%h]:%p'), quote(address.replace(/^\[(.*)\]$/, '$1'))].join(' ');
}
