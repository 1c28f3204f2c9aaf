/** The flag form of an environment, `-e NAME=value -p host:container` (docs/service/templates.md#environment). */

export interface Span {
  /** In UTF-16 units from the start of the text. */
  readonly offset: number;
  readonly length: number;
}

export type EnvEntry =
  | { readonly kind: 'variable'; readonly name: string; readonly value: string }
  | { readonly kind: 'port'; readonly mapping: string }
  /** Another flag, kept unchanged with its argument if it has one. */
  | { readonly kind: 'flag'; readonly flag: string; readonly value?: string };

export type EnvProblemKind = 'unclosedQuote' | 'missingValue' | 'badName' | 'badPort' | 'strayWord';

export interface EnvProblem {
  readonly kind: EnvProblemKind;
  readonly span: Span;
  /** The words that the problem is about, without quotes. */
  readonly subject: string;
}

export interface LocatedEntry {
  readonly entry: EnvEntry;
  readonly span: Span;
}

export interface ParsedEnv {
  readonly entries: readonly LocatedEntry[];
  readonly problems: readonly EnvProblem[];
}

export interface PortPair {
  readonly hostPort: number;
  readonly containerPort: number;
  readonly protocol: 'tcp' | 'udp';
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

interface Token {
  readonly value: string;
  readonly span: Span;
  readonly closed: boolean;
}

const blank = /\s/;
/** A backslash at the end of a line joins it with the next one; spaces after it are not seen by people. */
const continued = /\\[ \t]*(?:\r\n|\r|\n)/y;

/** Returns the end of a line break that a backslash removes, or undefined for any other character. */
function afterContinuation(text: string, at: number): number | undefined {
  continued.lastIndex = at;
  return text.charAt(at) === '\\' && continued.test(text) ? continued.lastIndex : undefined;
}

/** Reads the quoted part that starts at `start`: its value, its end, and whether it is closed. */
function readQuoted(text: string, start: number): { value: string; end: number; closed: boolean } {
  const quote = text.charAt(start);
  let value = '';
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === quote) {
      return { value, end: at + 1, closed: true };
    }
    const joined = quote === '"' && char === '\\' ? /^\\\r?\n/.exec(text.slice(at, at + 3)) : null;
    // As in a shell, a backslash in double quotes escapes only special characters.
    if (joined) {
      at += joined[0].length - 1;
    } else if (quote === '"' && char === '\\' && '"\\$`'.includes(text.charAt(at + 1) || ' ')) {
      at++;
      value += text.charAt(at);
    } else {
      value += char;
    }
  }
  return { value, end: text.length, closed: false };
}

function readToken(text: string, start: number): Token {
  let value = '';
  let closed = true;
  let at = start;
  while (at < text.length && !blank.test(text.charAt(at))) {
    const char = text.charAt(at);
    const joined = afterContinuation(text, at);
    if (joined !== undefined) {
      // A continuation with spaces before the end of its line ends the word, as the next line would begin another.
      if (/\\[ \t]/.test(text.slice(at, at + 2))) {
        break;
      }
      at = joined;
    } else if (char === '"' || char === "'") {
      const quoted = readQuoted(text, at);
      value += quoted.value;
      closed &&= quoted.closed;
      at = quoted.end;
    } else if (char === '\\' && at + 1 < text.length) {
      value += text.charAt(at + 1);
      at += 2;
    } else {
      value += char;
      at++;
    }
  }
  return { value, span: { offset: start, length: at - start }, closed };
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    if (blank.test(text.charAt(at))) {
      at++;
      continue;
    }
    const joined = afterContinuation(text, at);
    if (joined !== undefined) {
      at = joined;
      continue;
    }
    const token = readToken(text, at);
    tokens.push(token);
    at = token.span.offset + token.span.length;
  }
  return tokens;
}

type FlagRole = 'variable' | 'port' | 'hostname' | 'switch' | 'other';
interface FlagToken {
  readonly role: FlagRole;
  readonly flag: string;
  /** Whether Docker takes a value; undefined for a flag that it does not have. */
  readonly takesValue?: boolean;
  /** The argument, if it is part of the same word. */
  readonly inline?: string;
  /** Switches in the same word before the flag, as in `-itp 80:80`. */
  readonly switches?: string;
}

const longRoles: Readonly<Record<string, FlagRole>> = {
  '--env': 'variable',
  '--publish': 'port',
  '--hostname': 'hostname',
};
const shortRoles: Readonly<Record<string, FlagRole>> = { e: 'variable', p: 'port', h: 'hostname' };
/** The options of `docker run` without a value; the others of one letter, `acehlmpuvw`, have one. */
const switches: ReadonlySet<string> = new Set(
  (
    'detach disable-content-trust help init interactive no-healthcheck oom-kill-disable privileged publish-all quiet ' +
    'read-only rm sig-proxy tty use-api-socket'
  )
    .split(' ')
    .map((name) => `--${name}`),
);
const longOptions =
  /^--(?:add-host|annotation|attach|blkio-weight|cap-(?:add|drop)|cgroup|cid|cpu|device|dns|domainname|entrypoint|env|expose|gpus|group-add|health|hostname|ip|ipc|isolation|kernel-memory|label|link|log|mac-address|memory|mount|name|network|net|oom-score-adj|pid|pids|platform|publish|pull|restart|runtime|security-opt|shm-size|stop|storage-opt|sysctl|tmpfs|ulimit|user|userns|uts|volume|workdir)/;

function readFlag(word: string): FlagToken | undefined {
  if (word.startsWith('--')) {
    const equals = word.indexOf('=');
    const flag = equals < 0 ? word : word.slice(0, equals);
    const role = own(longRoles, flag) ?? (switches.has(flag) ? 'switch' : 'other');
    const takesValue = role !== 'switch' && longOptions.test(flag) ? { takesValue: true } : {};
    return { role, flag, ...takesValue, ...(equals < 0 ? {} : { inline: word.slice(equals + 1) }) };
  }
  const [, first = '', letter = '', rest = ''] = /^-([ditqP]*)([acehlmpuvw]?)(.*)$/s.exec(word) ?? [];
  if (first === '' && letter === '') {
    return word.startsWith('-') && word.length > 1 ? { role: 'other', flag: word } : undefined;
  }
  if (letter === '') {
    return rest === '' ? { role: 'switch', flag: word } : { role: 'other', flag: word };
  }
  const before = first === '' ? {} : { switches: `-${first}` };
  const inline = rest === '' ? {} : { inline: rest.replace(/^=/, '') };
  return {
    role: own(shortRoles, letter) ?? 'other',
    flag: `-${letter}`,
    takesValue: true,
    ...before,
    ...inline,
  };
}

/** From here on, a pair of equal numbers asks for the same free port inside and outside. */
const firstIdentityPort = 70_000;

/**
 * Parses `host:container` with an optional `/tcp` or `/udp`. Returns `undefined` for any other text
 * (docs/service/renting.md#ports).
 */
export function parsePort(mapping: string): PortPair | undefined {
  const match = /^(\d{1,5}):(\d{1,5})(?:\/(tcp|udp))?$/.exec(mapping);
  if (!match) {
    return undefined;
  }
  const [, host, container, protocol] = match;
  const hostPort = Number(host);
  const containerPort = Number(container);
  const valid = (port: number) => port >= 1 && port <= 65535;
  const isIdentity = hostPort === containerPort && hostPort >= firstIdentityPort;
  return isIdentity || (valid(hostPort) && valid(containerPort))
    ? { hostPort, containerPort, protocol: protocol === 'udp' ? 'udp' : 'tcp' }
    : undefined;
}

/** Parses `NAME=value`. Returns an entry or the problem. */
export function readVariable(word: string): EnvEntry | EnvProblemKind {
  const equals = word.indexOf('=');
  if (equals < 0) {
    return 'missingValue';
  }
  const name = word.slice(0, equals);
  return name === '' ? 'badName' : { kind: 'variable', name, value: word.slice(equals + 1) };
}

function readArgument({ role, flag, inline }: FlagToken, argument: string): EnvEntry | EnvProblemKind {
  switch (role) {
    case 'variable':
      return readVariable(argument);
    case 'port':
      return parsePort(argument) ? { kind: 'port', mapping: argument } : 'badPort';
    case 'hostname':
      return argument === '' ? 'missingValue' : { kind: 'flag', flag: '-h', value: argument };
    case 'switch':
    case 'other':
      return inline !== undefined && flag.startsWith('--')
        ? { kind: 'flag', flag: `${flag}=${inline}` }
        : { kind: 'flag', flag, value: argument };
  }
}

/**
 * Returns whether a flag is followed by a value: an option of Docker accepts any
 * word, an unknown flag any word that is no flag.
 */
function takesNext({ role, inline, takesValue = false }: FlagToken, next: Token | undefined): boolean {
  return (
    role !== 'switch' &&
    inline === undefined &&
    next !== undefined &&
    (takesValue || (!next.value.startsWith('-') && next.value !== ''))
  );
}

/** Parses the flag form. Never throws; each unreadable part becomes a problem with its place. */
export function parseEnvFlags(text: string): ParsedEnv {
  const entries: LocatedEntry[] = [];
  const problems: EnvProblem[] = [];
  const tokens = tokenize(text);
  let stray: Token[] = [];
  let lacksValue = false;
  // Words in a row have one cause: the quotes that the value before them lacks, or a flag without its value.
  const reportStray = () => {
    const [first] = stray;
    const last = stray.at(-1);
    if (first && last && !lacksValue) {
      const length = last.span.offset + last.span.length - first.span.offset;
      const subject = stray.map(({ value }) => value).join(' ');
      problems.push({ kind: 'strayWord', span: { offset: first.span.offset, length }, subject });
    }
    stray = [];
    lacksValue = false;
  };
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined) {
      break;
    }
    const fail = (kind: EnvProblemKind, span = token.span, subject = token.value) =>
      problems.push({ kind, span, subject });
    const flag = token.closed ? readFlag(token.value) : undefined;
    if (token.closed && !flag) {
      stray.push(token);
      continue;
    }
    reportStray();
    if (!flag) {
      fail('unclosedQuote');
      continue;
    }
    const { offset, length } = token.span;
    const lead = flag.switches?.length ?? 0;
    if (flag.switches !== undefined) {
      entries.push({ entry: { kind: 'flag', flag: flag.switches }, span: { offset, length: lead } });
    }
    const next = tokens[index + 1];
    const isPair = takesNext(flag, next);
    const isAlone = flag.inline === undefined && !isPair;
    if (isAlone && flag.takesValue !== true) {
      entries.push({ entry: { kind: 'flag', flag: flag.flag }, span: token.span });
      continue;
    }
    if (isAlone) {
      fail('missingValue');
      continue;
    }
    const argument = flag.inline ?? next?.value ?? '';
    const end = isPair && next ? next.span.offset + next.span.length : offset + length;
    const span = { offset: offset + lead, length: end - offset - lead };
    if (isPair && next) {
      index++;
      if (!next.closed) {
        fail('unclosedQuote', next.span, next.value);
        continue;
      }
    }
    const read = readArgument(flag, argument);
    if (typeof read === 'string') {
      fail(read, span, argument);
      lacksValue = read === 'missingValue';
    } else {
      entries.push({ entry: read, span });
    }
  }
  reportStray();
  return { entries, problems };
}

/**
 * Quotes a word for the flag form. Prefers plain quotes to escapes, because some
 * readers of this form don't know escapes.
 */
function quote(value: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(value)) {
    return value;
  }
  if (!/["\\$`]/.test(value)) {
    return `"${value}"`;
  }
  return value.includes("'") ? `"${value.replace(/["\\$`]/g, '\\$&')}"` : `'${value}'`;
}

function formatEntry(entry: EnvEntry): string {
  switch (entry.kind) {
    case 'variable': {
      const plainName = /^[A-Za-z0-9_.-]+$/.test(entry.name);
      const value = entry.value === '' ? '' : quote(entry.value);
      return plainName ? `-e ${entry.name}=${value}` : `-e ${quote(`${entry.name}=${entry.value}`)}`;
    }
    case 'port':
      return `-p ${quote(entry.mapping)}`;
    case 'flag':
      return entry.value === undefined ? quote(entry.flag) : `${quote(entry.flag)} ${quote(entry.value)}`;
  }
}

/** Returns the flag form of the entries, in their order. */
export function formatEnvFlags(entries: readonly EnvEntry[]): string {
  return entries.map(formatEntry).join(' ');
}

/**
 * Replaces the values of variables in flag text; a value for which `replace` returns `undefined` stays. All other text,
 * unreadable parts included, stays byte for byte.
 */
export function replaceValues(
  text: string,
  replace: (name: string, value: string) => string | undefined,
): string {
  let replaced = '';
  let at = 0;
  for (const { entry, span } of parseEnvFlags(text).entries) {
    const value = entry.kind === 'variable' ? replace(entry.name, entry.value) : undefined;
    if (entry.kind === 'variable' && value !== undefined) {
      // In `-ite A=1` the flag begins inside a word.
      const gap = span.offset > 0 && !blank.test(text.charAt(span.offset - 1)) ? ' ' : '';
      replaced += text.slice(at, span.offset) + gap + formatEntry({ ...entry, value });
      at = span.offset + span.length;
    }
  }
  return replaced + text.slice(at);
}
