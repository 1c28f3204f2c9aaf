import { posix } from 'node:path';

/** An object of YAML. */
export type Map = Readonly<Record<string, unknown>>;

/** What is read of a file: each key that is taken is named, so that all others are left out. */
export class Reader {
  readonly leftOut: string[] = [];
  private readonly taken = new Set<string>();

  constructor(
    private readonly map: Map,
    private readonly at = '',
  ) {}

  /** Takes a key; a value of another kind is left out. */
  take<T>(key: string, read: (value: unknown) => T | undefined): T | undefined {
    if (!Object.hasOwn(this.map, key)) {
      return undefined;
    }
    this.taken.add(key);
    const value = this.map[key];
    const result = value === undefined || value === null ? undefined : read(value);
    if (result === undefined && value !== undefined && value !== null) {
      this.leave(key);
    }
    return result;
  }

  leave(key: string): void {
    this.leftOut.push(`${this.at}${key}`);
  }

  /** Takes a map inside, with what is left out of it. */
  within<T>(key: string, read: (inner: Reader) => T): T | undefined {
    return this.take(key, (value) => {
      if (!isMap(value)) {
        return undefined;
      }
      const inner = new Reader(value, `${this.at}${key}.`);
      const result = read(inner);
      this.leftOut.push(...inner.rest());
      return result;
    });
  }

  rest(): readonly string[] {
    const others = Object.keys(this.map).filter((key) => !this.taken.has(key));
    return [...this.leftOut, ...others.map((key) => `${this.at}${key}`)];
  }
}

export interface NamedGpus {
  readonly names: readonly string[];
  /** As a filter of offers. */
  readonly count?: Map | undefined;
}

export function acceleratorsOf(value: unknown): NamedGpus | undefined {
  const entries: readonly (readonly [string, unknown])[] = isMap(value)
    ? Object.entries(value)
    : [value].flat().map((one) => {
        const [name = '', count] = String(one).split(':');
        return [name, count] as const;
      });
  const counts = new Set(entries.map(([, count]) => Number(count ?? 1)));
  const [count] = counts;
  return counts.size === 1 && Number.isInteger(count) && entries.every(([name]) => /^[\w.-]+$/.test(name))
    ? { names: entries.map(([name]) => name), count: { eq: count } }
    : undefined;
}

/** Variables of dstack: a map, or a list of `NAME=value` and names. */
export function dstackVariables(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (isMap(value)) {
    return Object.entries(value);
  }
  return asList(value)?.map((one) => {
    const [, name = '', , given] = /^([^=]*)(=([^]*))?$/.exec(String(one)) ?? [];
    return [name, given] as const;
  });
}

export function portsOf(ports: readonly unknown[] | undefined): readonly string[] | undefined {
  const numbers = (ports ?? [])
    .map(Number)
    .filter((port) => Number.isInteger(port) && port > 0 && port < 65_536);
  return numbers.length === 0 ? undefined : numbers.map((port) => `${port}:${port}`);
}

/** Returns the folder of the workspace that a file of dstack sends, with its place on the machine. */
export function sentFolder(value: unknown, fileFolder: string) {
  const [only, ...others] = asList(value) ?? [];
  const [local, remote, more] = typeof only === 'string' ? only.split(':') : [];
  const folder = local === undefined ? undefined : folderInside(posix.join(fileFolder, local));
  return folder === undefined || others.length > 0 || more !== undefined ? undefined : { folder, remote };
}

/** Returns a folder of the workspace; `undefined` if it is outside of it. */
export function folderInside(value: unknown): string | undefined {
  const folder = posix.normalize(asString(value) ?? '..').replace(/\/$/, '');
  return /^(?:\.\.(?:\/|$)|\/|~|[A-Za-z]:)/.test(folder) || folder.includes('\\') ? undefined : folder;
}

export function secondsIn(value: unknown): number | undefined {
  const [, count, unit = 's'] = /^(\d{1,8}) *([smhdw])?$/.exec(String(value)) ?? [];
  const seconds = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }[unit] ?? 1;
  return count === undefined ? undefined : Number(count) * seconds;
}

/** Reads `8`, `8+`, `8..` and `24GB..`: each is at least a lower bound. */
export function atLeast(value: unknown): number | undefined {
  const [, count] = /^(\d{1,6})(?: *GB)?(?:\+|\.\.(?:\d{1,6}(?: *GB)?)?)?$/i.exec(String(value)) ?? [];
  return count === undefined || Number(count) === 0 ? undefined : Number(count);
}

export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}

export function asMap(value: unknown): Map | undefined {
  return isMap(value) ? value : undefined;
}

export function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? (value as unknown[]) : typeof value === 'object' ? undefined : [value];
}

export function isName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

export function isMap(value: unknown): value is Map {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function reliabilityOf(value: unknown): number | undefined {
  const [only, ...others] = asList(value) ?? [];
  return others.length === 0 &&
    isMap(only) &&
    Object.keys(only).every((key) => ['type', 'min_reliability'].includes(key))
    ? asNumber(only['min_reliability'])
    : undefined;
}

/** Reads how many GPUs dstack rents: a number, or a range. */
export function gpuCountIn(value: unknown): Map | undefined {
  const [, least, range, most = ''] = /^(\d{1,3})(\.\.(\d{1,3})?)?$/.exec(String(value)) ?? [];
  if (least === undefined || Number(least) === 0) {
    return undefined;
  }
  const lte = most === '' ? {} : { lte: Number(most) };
  return range === undefined ? { eq: Number(least) } : { gte: Number(least), ...lte };
}
