import { constants, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import type * as Library from 'ssh2';
import type { Attributes, SFTPWrapper } from 'ssh2';

/** The numbers of the protocol, as the library has them. */
type Codes = typeof Library.utils.sftp;

type Handle =
  | { readonly kind: 'file'; readonly file: fs.FileHandle; readonly append: boolean }
  | { readonly kind: 'folder'; readonly dir: string; names: string[] | undefined };

/** SFTP (version 3) over the files of this computer; relative paths begin at the machine's home. */
export function serveSftp(sftp: SFTPWrapper, codes: Codes, home: string): void {
  new SftpSession(sftp, codes, home).start();
}

/** The library's own members, which it does not declare. */
interface Undeclared {
  readonly _protocol?: { exitStatus(channel: number, status: number): void };
  readonly outgoing?: { readonly id: number };
}

/**
 * Ends the subsystem as a server does, with status 0; without it `scp` reports a good
 * transfer as failed. The library has a method for it on every channel but this kind.
 */
function sendExitStatus(sftp: SFTPWrapper & Undeclared): void {
  if (sftp.outgoing) {
    sftp._protocol?.exitStatus(sftp.outgoing.id, 0);
  }
}

class SftpSession {
  private readonly handles = new Map<number, Handle>();
  private nextHandle = 1;

  constructor(
    private readonly sftp: SFTPWrapper,
    private readonly codes: Codes,
    private readonly home: string,
  ) {}

  start(): void {
    this.serveFiles();
    this.serveFolders();
    this.serveAttributes();
    this.sftp.on('EXTENDED', (id, name) => {
      this.sftp.status(id, this.codes.STATUS_CODE.OP_UNSUPPORTED, `${name} is not supported`);
    });
    this.sftp.once('end', () => {
      sendExitStatus(this.sftp);
      this.sftp.end();
    });
    this.sftp.once('close', () => {
      for (const handle of this.handles.values()) {
        if (handle.kind === 'file') {
          void handle.file.close().catch(() => undefined);
        }
      }
    });
  }

  private serveFiles(): void {
    const { sftp } = this;
    sftp.on('OPEN', (id, name, flags, attributes) => {
      this.answer(id, async () => {
        const file = await fs.open(this.at(name), this.openFlags(flags), modeOf(attributes));
        const append = (flags & this.codes.OPEN_MODE.APPEND) !== 0;
        sftp.handle(id, this.keep({ kind: 'file', file, append }));
      });
    });
    sftp.on('READ', (id, handle, offset, length) => {
      this.answer(id, async () => {
        const buffer = Buffer.alloc(Math.min(length, 256 * 1024));
        const { bytesRead } = await this.file(handle).file.read(buffer, 0, buffer.length, offset);
        if (bytesRead === 0) {
          sftp.status(id, this.codes.STATUS_CODE.EOF);
        } else {
          sftp.data(id, buffer.subarray(0, bytesRead));
        }
      });
    });
    sftp.on('WRITE', (id, handle, offset, data) => {
      this.done(id, async () => {
        const { file, append } = this.file(handle);
        await file.write(data, 0, data.length, append ? null : offset);
      });
    });
    sftp.on('CLOSE', (id, handle) => {
      this.done(id, async () => {
        const key = handle.readUInt32BE(0);
        const open = this.handles.get(key);
        this.handles.delete(key);
        if (open?.kind === 'file') {
          await open.file.close();
        }
      });
    });
    sftp.on('REMOVE', (id, name) => this.done(id, () => fs.unlink(this.at(name))));
    sftp.on('RENAME', (id, from, to) => this.done(id, () => fs.rename(this.at(from), this.at(to))));
    // The link is first, although the types of the library name it otherwise: it
    // undoes the order of OpenSSH's clients.
    sftp.on('SYMLINK', (id, link, target) => this.done(id, () => fs.symlink(target, this.at(link))));
    sftp.on('READLINK', (id, name) => {
      this.answer(id, async () => this.sendName(id, await fs.readlink(this.at(name))));
    });
  }

  private serveFolders(): void {
    const { sftp } = this;
    sftp.on('OPENDIR', (id, name) => {
      this.answer(id, async () => {
        const dir = this.at(name);
        await fs.readdir(dir);
        sftp.handle(id, this.keep({ kind: 'folder', dir, names: undefined }));
      });
    });
    sftp.on('READDIR', (id, handle) => {
      this.answer(id, async () => {
        const open = this.handles.get(handle.readUInt32BE(0));
        if (open?.kind !== 'folder') {
          throw badHandle();
        }
        open.names ??= ['.', '..', ...(await fs.readdir(open.dir))];
        const names = open.names.splice(0, 200);
        if (names.length === 0) {
          sftp.status(id, this.codes.STATUS_CODE.EOF);
          return;
        }
        const entries = await Promise.all(names.map((name) => entryOf(open.dir, name)));
        sftp.name(
          id,
          entries.flatMap((entry) => (entry ? [entry] : [])),
        );
      });
    });
    sftp.on('MKDIR', (id, name, attributes) => {
      this.done(id, () => fs.mkdir(this.at(name), modeOf(attributes) ?? 0o777));
    });
    sftp.on('RMDIR', (id, name) => this.done(id, () => fs.rmdir(this.at(name))));
    sftp.on('REALPATH', (id, name) => {
      this.answer(id, async () => {
        const wanted = this.at(name);
        // A path that does not exist yet is still answered, as the usual server does.
        this.sendName(id, await fs.realpath(wanted).catch(() => wanted));
      });
    });
  }

  private serveAttributes(): void {
    const { sftp } = this;
    const show = (id: number, read: () => Promise<Stats>) => {
      this.answer(id, async () => sftp.attrs(id, attributesOf(await read())));
    };
    sftp.on('STAT', (id, name) => show(id, () => fs.stat(this.at(name))));
    sftp.on('LSTAT', (id, name) => show(id, () => fs.lstat(this.at(name))));
    sftp.on('FSTAT', (id, handle) => show(id, () => this.file(handle).file.stat()));
    sftp.on('SETSTAT', (id, name, attributes) => {
      this.done(id, () => setAttributes(this.at(name), attributes));
    });
    sftp.on('FSETSTAT', (id, handle, attributes) => {
      this.done(id, async () => {
        const { file } = this.file(handle);
        const wanted: Partial<Attributes> = attributes;
        if (wanted.size !== undefined) {
          await file.truncate(wanted.size);
        }
        if (wanted.mode !== undefined) {
          await file.chmod(wanted.mode & 0o7777);
        }
        if (wanted.atime !== undefined && wanted.mtime !== undefined) {
          await file.utimes(wanted.atime, wanted.mtime);
        }
      });
    });
  }

  private at(name: string): string {
    return path.resolve(this.home, name.replace(/^~(?=\/|$)/, '.'));
  }

  private keep(handle: Handle): Buffer {
    const key = this.nextHandle;
    this.nextHandle += 1;
    this.handles.set(key, handle);
    const buffer = Buffer.alloc(4);
    buffer.writeUInt32BE(key);
    return buffer;
  }

  private file(handle: Buffer) {
    const open = this.handles.get(handle.readUInt32BE(0));
    if (open?.kind !== 'file') {
      throw badHandle();
    }
    return open;
  }

  private sendName(id: number, filename: string): void {
    // Clients read only the name in these answers; the protocol requires the rest.
    this.sftp.name(id, [{ filename, longname: filename, attrs: emptyAttributes }]);
  }

  private done(id: number, work: () => Promise<unknown>): void {
    this.answer(id, async () => {
      await work();
      this.sftp.status(id, this.codes.STATUS_CODE.OK);
    });
  }

  private answer(id: number, work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      this.sftp.status(id, this.statusOf(error), error instanceof Error ? error.message : undefined);
    });
  }

  private statusOf(error: unknown): number {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      return this.codes.STATUS_CODE.NO_SUCH_FILE;
    }
    return code === 'EACCES' || code === 'EPERM'
      ? this.codes.STATUS_CODE.PERMISSION_DENIED
      : this.codes.STATUS_CODE.FAILURE;
  }

  private openFlags(flags: number): number {
    const has = (flag: number) => (flags & flag) !== 0;
    const access =
      has(this.codes.OPEN_MODE.READ) && has(this.codes.OPEN_MODE.WRITE)
        ? constants.O_RDWR
        : has(this.codes.OPEN_MODE.WRITE)
          ? constants.O_WRONLY
          : constants.O_RDONLY;
    return (
      access |
      (has(this.codes.OPEN_MODE.APPEND) ? constants.O_APPEND : 0) |
      (has(this.codes.OPEN_MODE.CREAT) ? constants.O_CREAT : 0) |
      (has(this.codes.OPEN_MODE.TRUNC) ? constants.O_TRUNC : 0) |
      (has(this.codes.OPEN_MODE.EXCL) ? constants.O_EXCL : 0)
    );
  }
}

const emptyAttributes: Attributes = { mode: 0, uid: 0, gid: 0, size: 0, atime: 0, mtime: 0 };

const badHandle = () => Object.assign(new Error('Unknown handle'), { code: 'EBADF' });

/** Clients leave attributes out, although the type requires them. */
function modeOf(attributes: Partial<Attributes>): number | undefined {
  return attributes.mode === undefined ? undefined : attributes.mode & 0o7777;
}

function attributesOf(stats: Stats): Attributes {
  return {
    mode: stats.mode,
    uid: stats.uid,
    gid: stats.gid,
    size: stats.size,
    atime: Math.floor(stats.atimeMs / 1000),
    mtime: Math.floor(stats.mtimeMs / 1000),
  };
}

async function setAttributes(file: string, attributes: Partial<Attributes>): Promise<void> {
  if (attributes.size !== undefined) {
    await fs.truncate(file, attributes.size);
  }
  if (attributes.mode !== undefined) {
    await fs.chmod(file, attributes.mode & 0o7777);
  }
  if (attributes.atime !== undefined && attributes.mtime !== undefined) {
    await fs.utimes(file, attributes.atime, attributes.mtime);
  }
}

async function entryOf(dir: string, name: string) {
  try {
    const stats = await fs.lstat(path.join(dir, name));
    const kind = stats.isDirectory() ? 'd' : stats.isSymbolicLink() ? 'l' : '-';
    const day = stats.mtime.toISOString().slice(0, 16).replace('T', ' ');
    const longname = `${kind}rw-r--r-- 1 root root ${String(stats.size).padStart(10)} ${day} ${name}`;
    return { filename: name, longname, attrs: attributesOf(stats) };
  } catch {
    // Removed between the listing and this call.
    return undefined;
  }
}
