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
