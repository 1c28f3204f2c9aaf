import type { DataSource } from '../../model/workspace/dataItems';
import { quoteForShell } from '../../ssh/commandLine';
import data from './shell/data.sh';

/** Data to fetch, with its whole path on the machine. */
export interface WantedData {
  readonly source: Exclude<DataSource, { kind: 'connection' }>;
  readonly target: string;
  /** Where the volume is mounted that has the target. */
  readonly mount: string | undefined;
  readonly include: readonly string[];
  /** The name of the variable with the token. */
  readonly secret: string | undefined;
}

/** Returns the program that fetches the data, or that states what this would take; `readMeasured` reads its output. */
export function dataProgram(wanted: readonly WantedData[], mode: 'measure' | 'fetch'): string {
  const calls = wanted.map(({ source, target, mount = '', include, secret = '' }, index) => {
    const words =
      source.kind === 'https'
        ? ['from_https', String(index), source.address, source.sha256, target]
        : [
            ...['from_hub', String(index), source.type, source.name, source.revision, target, secret],
            ...include,
          ];
    return `mount=${quoteForShell(mount)}\n${words.map(quoteForShell).join(' ')}`;
  });
  return [
    `mode=${mode} ticks=0`,
    data,
    ...calls,
    mode === 'measure' ? 'echo measured' : 'exit $failed',
    '',
  ].join('\n');
}

/** What the machine states of each item; a size that its source does not state is absent. */
export interface MeasuredData {
  readonly isThere: boolean;
  /** Something else is at the target. */
  readonly isTaken: boolean;
  readonly bytes?: number;
  readonly freeBytes?: number;
  readonly missing: readonly string[];
}

/** Returns undefined without a whole answer. */
export function readMeasured(output: string, count: number): readonly MeasuredData[] | undefined {
  const lines = output.split(/\r?\n/);
  if (!lines.includes('measured')) {
    return undefined;
  }
  return Array.from({ length: count }, (_, index) => {
    const valuesOf = (word: string) =>
      lines.flatMap((line) => new RegExp(`^${word} ${index} (\\w{1,15})$`).exec(line)?.[1] ?? []);
    const [size] = valuesOf('size').filter((value) => /^\d+$/.test(value));
    const [free] = valuesOf('free').filter((value) => /^\d+$/.test(value));
    return {
      isThere: lines.includes(`there ${index}`),
      isTaken: lines.includes(`taken ${index}`),
      ...(size === undefined ? {} : { bytes: Number(size) }),
      ...(free === undefined ? {} : { freeBytes: Number(free) * 1024 }),
      missing: valuesOf('missing'),
    };
  });
}
