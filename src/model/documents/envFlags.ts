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

interface Token {
  readonly value: string;
  readonly span: Span;
  readonly closed: boolean;
}

const blank = /\s/;

/** Reads the quoted part that starts at `start`: its value, its end, and whether it is closed. */
function readQuoted(text: string, start: number): { value: string; end: number; closed: boolean } {
  const quote = text.charAt(start);
  let value = '';
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === quote) {
      return { value, end: at + 1, closed: true };
    }
    // As in a shell, a backslash in double quotes escapes only special characters.
    if (quote === '"' && char === '\\' && '"\\$`'.includes(text.charAt(at + 1) || ' ')) {
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
    if (char === '"' || char === "'") {
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
    const token = readToken(text, at);
    tokens.push(token);
    at = token.span.offset + token.span.length;
  }
  return tokens;
}

type FlagRole = 'variable' | 'port' | 'other';
interface FlagToken {
  readonly role: FlagRole;
  readonly flag: string;
  /** The argument, if it is part of the same word. */
  readonly inline?: string;
}

const longRoles: Readonly<Record<string, FlagRole>> = { '--env': 'variable', '--publish': 'port' };
const shortRoles: Readonly<Record<string, FlagRole>> = { '-e': 'variable', '-p': 'port' };

function readFlag(word: string): FlagToken | undefined {
  if (word.startsWith('--')) {
    const equals = word.indexOf('=');
    const flag = equals < 0 ? word : word.slice(0, equals);
    const role = longRoles[flag] ?? 'other';
    return equals < 0 ? { role, flag } : { role, flag, inline: word.slice(equals + 1) };
  }
  if (!word.startsWith('-') || word.length < 2) {
    return undefined;
  }
  const flag = word.slice(0, 2);
  const role = shortRoles[flag] ?? 'other';
  if (word.length === 2) {
    return { role, flag };
  }
  const rest = word.slice(2);
  return role === 'other' ? { role, flag: word } : { role, flag, inline: rest.replace(/^=/, '') };
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

function readArgument(flag: FlagToken, argument: string): EnvEntry | EnvProblemKind {
  switch (flag.role) {
    case 'variable':
      return readVariable(argument);
    case 'port':
      return parsePort(argument) ? { kind: 'port', mapping: argument } : 'badPort';
    case 'other':
      return { kind: 'flag', flag: flag.flag, value: argument };
  }
}

/** Parses the flag form. Never throws; each unreadable part becomes a problem with its place. */
export function parseEnvFlags(text: string): ParsedEnv {
  const entries: LocatedEntry[] = [];
  const problems: EnvProblem[] = [];
  const tokens = tokenize(text);
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined) {
      break;
    }
    const fail = (kind: EnvProblemKind, span = token.span, subject = token.value) =>
      problems.push({ kind, span, subject });
    if (!token.closed) {
      fail('unclosedQuote');
      continue;
    }
    const flag = readFlag(token.value);
    if (!flag) {
      fail('strayWord');
      continue;
    }
    const next = tokens[index + 1];
    // An unknown flag takes the next word as its argument unless that word is a flag.
    const takesNext =
      flag.inline === undefined &&
      next !== undefined &&
      (flag.role !== 'other' || (!next.value.startsWith('-') && next.value !== ''));
    if (flag.inline === undefined && !takesNext) {
      if (flag.role === 'other') {
        entries.push({ entry: { kind: 'flag', flag: flag.flag }, span: token.span });
      } else {
        fail('missingValue');
      }
      continue;
    }
    const argument = flag.inline ?? next?.value ?? '';
    const end = takesNext ? next.span.offset + next.span.length : token.span.offset + token.span.length;
    const span = { offset: token.span.offset, length: end - token.span.offset };
    if (takesNext) {
      index++;
      if (!next.closed) {
        fail('unclosedQuote', next.span, next.value);
        continue;
      }
    }
    const read: EnvEntry | EnvProblemKind =
      flag.role === 'other' && flag.inline !== undefined
        ? { kind: 'flag', flag: token.value }
        : readArgument(flag, argument);
    if (typeof read === 'string') {
      fail(read, span, argument);
    } else {
      entries.push({ entry: read, span });
    }
  }
  return { entries, problems };
}

/**
 * Quotes a word for the flag form. Prefers plain quotes to escapes, because not every reader of this form knows
 * escapes.
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
      replaced += text.slice(at, span.offset) + formatEntry({ ...entry, value });
      at = span.offset + span.length;
    }
  }
  return replaced + text.slice(at);
}
