import { text, type Text } from '../../util/text';

/** A place in the cloud that the account is connected to; made in the web console. */
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

/** Where the host of an instance gives the files of it away, also while the instance is stopped. */
export interface CopyHost {
  readonly host: string;
  readonly port: number;
}

/** A file or folder of a connection; its first part is the bucket or drive. */
export interface CloudPath {
  readonly connectionId: number;
  readonly path: string;
}

/** Returns why the service would not copy from this path, or could read it as something else. */
export function sourceProblem(typed: string): Text | undefined {
  const path = typed.trim();
  if (!isWholePath(path)) {
    return text('Enter a full path that begins with a slash and has no "..".');
  }
  return path === '/'
    ? text("You can't copy the whole disk. Enter a folder, such as /workspace.")
    : undefined;
}

/** The service copies neither to `/` nor to `/root` of an instance (docs/service/commands.md#copy). */
export function targetProblem(typed: string): Text | undefined {
  const path = typed.trim().replace(/\/+$/, '');
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

/** The command of the service that sums up a path; `undefined` where the path could mean more to its shell. */
export function sizeCommand(path: string): string | undefined {
  return /^[\w./+@-]+$/.test(path) ? `du -s ${path}` : undefined;
}

/** Bytes from what `du -s` prints, which counts in units of 1024; `undefined` where it is something else. */
export function sizeFrom(output: string): number | undefined {
  const kilobytes = /^(\d{1,15})\s+\S/.exec(output.trim())?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}
