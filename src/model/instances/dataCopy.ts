import { plainLabel } from '../../util/plainLabel';
import { text, type Text } from '../../util/text';

/** A cloud storage connected to the account in the web console. */
export interface CloudConnection {
  readonly id: number;
  readonly name?: string;
  /** For example `s3` or `drive`. */
  readonly kind?: string;
}

/** A file or folder of an instance. */
export interface InstancePath {
  readonly instanceId: number;
  readonly path: string;
}

/** A file or folder of a volume, by its path there. */
export interface VolumePath {
  readonly volumeId: number;
  readonly path: string;
}

/** A file or folder of a cloud connection. The first part of the path is the bucket or drive. */
export interface ConnectionPath {
  readonly connection: CloudConnection;
  readonly path: string;
}

/** What the service can copy from or to (docs/service/commands.md#copy). */
export type CopyEnd = InstancePath | VolumePath | ConnectionPath;

/** Returns how the service names an end; `undefined` if it does not state the kind of a connection. */
export function endName(end: CopyEnd): string | undefined {
  if ('connection' in end) {
    const { kind = '', id } = end.connection;
    return /^[a-z][a-z0-9_]{0,19}$/i.test(kind) ? `${kind.toLowerCase()}.${id}` : undefined;
  }
  return 'volumeId' in end ? `V.${end.volumeId}` : `C.${end.instanceId}`;
}

/** The size as the service states it: in bytes where it has a unit, otherwise in its own words. */
export interface CopySize {
  readonly bytes?: number;
  readonly words?: string;
}

/** Reads a stated size, whose form the service does not document (docs/service/commands.md#size-of-a-copy). */
export function copySizeIn(output: string): CopySize {
  const line = plainLabel(
    output
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/^"(.*)"$/, '$1') ?? '',
  ).slice(0, 60);
  const [, number = '', unit = ''] = /^(\d{1,15}(?:\.\d{1,6})?)\s?([KMGT])(?:i?B)?(?![\w.])/.exec(line) ?? [];
  if (unit !== '') {
    return { bytes: Math.ceil(Number(number) * 1024 ** (1 + 'KMGT'.indexOf(unit))) };
  }
  return line === '' ? {} : { words: line };
}

/** The host that serves the files of an instance, even while the instance is stopped. */
export interface CopyHost {
  readonly host: string;
  readonly port: number;
}

/** A file or folder of a connection. The first part is the bucket or drive. */
export interface CloudPath {
  readonly connectionId: number;
  readonly path: string;
}

/** Returns why the service would refuse to copy from this path of a volume. */
export function volumeSourceProblem(typed: string): Text | undefined {
  return typed.trim() === '/' ? undefined : sourceProblem(typed);
}

/** Returns why the service would refuse to copy from this path or could misread it. */
export function sourceProblem(typed: string): Text | undefined {
  const path = typed.trim();
  if (!isWholePath(path)) {
    return text('Enter a full path that begins with a slash and has no "..".');
  }
  return path === '/'
    ? text("You can't copy the whole disk. Enter a folder, such as /workspace.")
    : undefined;
}

/**
 * Returns why a path can't be a target. The service copies neither to `/` nor to `/root`
 * (docs/service/commands.md#copy).
 */
export function targetProblem(typed: string): Text | undefined {
  const path = typed.trim().replace(/(?<!\/)\/+$/, '');
  if (!isWholePath(typed.trim())) {
    return text('Enter a full path that begins with a slash and has no "..".');
  }
  return path === '' || path === '/root'
    ? text("The service can't copy to / or /root. Enter a folder, such as /workspace.")
    : undefined;
}

function isWholePath(path: string): boolean {
  return (
    path.startsWith('/') &&
    path.length <= 1024 &&
    !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(path) &&
    !path.split('/').includes('..')
  );
}

/** Returns the service command that measures a path, or `undefined` if its shell could interpret the path. */
export function sizeCommand(path: string): string | undefined {
  return /^[\w./+@-]+$/.test(path) ? `du -s ${path}` : undefined;
}

/** Reads the bytes from the output of `du -s`, which counts units of 1024. Returns `undefined` for other output. */
export function sizeFrom(output: string): number | undefined {
  const kilobytes = /^(\d{1,15})\s+\S/.exec(output.trim())?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}
