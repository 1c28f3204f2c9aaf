import { UserError } from '../../util/errors';
import { text, type Text } from '../../util/text';
import {
  Fields,
  NotSftpError,
  openFlag,
  packet,
  PacketReader,
  packetType,
  type Attributes,
  type Part,
} from './wire';

/** A name in a folder; `raw` has one character for each byte. */
export interface RemoteName {
  readonly raw: string;
  /** Of the link itself, where it is one. */
  readonly attributes: Attributes;
}

const statusCode = { ok: 0, endOfFile: 1, missing: 2, denied: 3, unsupported: 8 } as const;

/** The machine refuses. Disk full, not empty and "is there already" all come as `failed`. */
export class SftpError extends UserError {
  constructor(
    readonly kind: 'missing' | 'denied' | 'unsupported' | 'failed',
    said: string,
  ) {
    super(refusals[kind](said));
  }
}

const refusals: Readonly<Record<SftpError['kind'], (said: string) => Text>> = {
  missing: () => text('This no longer exists. Refresh the list.'),
  denied: () => text('The instance does not allow it.'),
  unsupported: () => text('The SFTP server of the instance can’t do that.'),
  failed: (said) => text('The instance refused: {0}', said),
};

interface Pending {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

interface Reply {
  readonly type: number;
  readonly fields: Fields;
}

/** Without `limits@openssh.com`: what every server accepts (draft-ietf-secsh-filexfer-02, section 3). */
const usualPiece = 32_768;
const mostPiece = 255_000;
/** Bytes that are asked for or sent before an answer. */
const inFlight = 4_000_000;
/** Requests for the names of one folder that are asked at once; a server answers about 100 names to each. */
const namesAtOnce = 8;

/**
 * A client of SFTP version 3. All requests may be open at once; each is answered, refused, or rejected when the connection
 * ends.
 */
export class SftpClient {
  private readonly packets = new PacketReader();
  private readonly pending = new Map<number, Pending>();
  private readonly extensions = new Set<string>();
  private lastId = 0;
  private ended: Error | undefined;
  private piece = usualPiece;
  /** Resolves with the first answer of the server. */
  readonly ready: Promise<void>;
  private welcome: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;

  constructor(private readonly send: (bytes: Uint8Array) => void) {
    this.ready = new Promise<void>((resolve, reject) => {
      this.welcome = { resolve, reject };
    }).then(() => this.askLimits());
    this.ready.catch(() => undefined);
  }

  hello(): void {
    this.send(packet(packetType.init, [3]));
  }

  /** Throws `NotSftpError` for what is no answer. */
  receive(bytes: Buffer): void {
    for (const { type, body } of this.packets.read(bytes)) {
      const fields = new Fields(body);
      if (type === packetType.version) {
        this.begin(fields);
      } else {
        const id = fields.number();
        const pending = this.pending.get(id);
        if (!pending) {
          throw new NotSftpError(`Nothing was asked with the number ${id}`);
        }
        this.pending.delete(id);
        pending.resolve({ type, fields });
      }
    }
  }

  /** Rejects all that waits, and all that is asked from now on. */
  end(error: Error): void {
    this.ended ??= error;
    this.welcome?.reject(error);
    for (const { reject } of this.pending.values()) {
      reject(error);
    }
    this.pending.clear();
  }

  get isWaiting(): boolean {
    return this.pending.size > 0;
  }

  get isEnded(): boolean {
    return this.ended !== undefined;
  }

  async realPath(path: string): Promise<string> {
    const { fields } = await this.expect(packetType.name, packetType.realPath, [path]);
    fields.number();
    return fields.raw();
  }

  async readLink(path: string): Promise<string> {
    const { fields } = await this.expect(packetType.name, packetType.readLink, [path]);
    fields.number();
    return fields.raw();
  }

  /** Of what a link leads to. */
  async stat(path: string): Promise<Attributes> {
    return (await this.expect(packetType.attributes, packetType.stat, [path])).fields.attributes();
  }

  /** Of a link itself. */
  async lstat(path: string): Promise<Attributes> {
    return (await this.expect(packetType.attributes, packetType.lstat, [path])).fields.attributes();
  }

  /** Returns the names of a folder in no order, without `.` and `..`; at most about `limit`. */
  async list(path: string, limit: number, signal?: AbortSignal): Promise<RemoteName[]> {
    const handle = await this.handleOf(packetType.openFolder, [path]);
    const names: RemoteName[] = [];
    try {
      let isWhole = false;
      while (!isWhole && names.length < limit) {
        signal?.throwIfAborted();
        const before = names.length;
        const pages = Array.from({ length: namesAtOnce }, () => this.namesOf(handle));
        for (const page of await settledAll(pages)) {
          isWhole ||= page === undefined;
          names.push(...(page ?? []));
        }
        if (!isWhole && names.length === before) {
          throw new NotSftpError('A folder without names and without an end');
        }
      }
    } finally {
      await this.close(handle);
    }
    return names;
  }

  /** Yields the content of a file in its order. */
  async *read(path: string, signal?: AbortSignal): AsyncGenerator<Buffer> {
    const handle = await this.handleOf(packetType.open, [path, openFlag.read, { attributes: {} }]);
    const open: Promise<Buffer>[] = [];
    try {
      let at = 0;
      for (;;) {
        signal?.throwIfAborted();
        while (open.length < inFlight / this.piece) {
          const piece = this.pieceOf(handle, at, this.piece);
          piece.catch(() => undefined);
          open.push(piece);
          at += this.piece;
        }
        const bytes = await (open.shift() ?? Promise.resolve(Buffer.alloc(0)));
        if (bytes.length > 0) {
          yield bytes;
        }
        if (bytes.length < this.piece) {
          return;
        }
      }
    } finally {
      await Promise.allSettled(open);
      await this.close(handle);
    }
  }

  /** Writes a new file, on disk when it resolves where the server can do that. Throws if something has this name. */
  async write(
    path: string,
    content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    attributes: Attributes,
    signal?: AbortSignal,
  ): Promise<void> {
    const flags = openFlag.write | openFlag.create | openFlag.exclusive;
    const handle = await this.handleOf(packetType.open, [path, flags, { attributes: { mode: 0o600 } }]);
    try {
      await this.writeAll(handle, content, signal);
      await this.done(packetType.fsetStat, [handle, { attributes }]);
      if (this.extensions.has('fsync@openssh.com')) {
        await this.done(packetType.extended, ['fsync@openssh.com', handle]);
      }
    } finally {
      await this.close(handle);
    }
  }

  /** Takes the place of what has the new name in one step; false where the server has no such step. */
  async replace(from: string, to: string): Promise<boolean> {
    if (!this.extensions.has('posix-rename@openssh.com')) {
      return false;
    }
    await this.done(packetType.extended, ['posix-rename@openssh.com', from, to]);
    return true;
  }

  /** Refused where something has the new name. */
  rename(from: string, to: string): Promise<void> {
    return this.done(packetType.rename, [from, to]);
  }

  setAttributes(path: string, attributes: Attributes): Promise<void> {
    return this.done(packetType.setStat, [path, { attributes }]);
  }

  remove(path: string): Promise<void> {
    return this.done(packetType.remove, [path]);
  }

  makeFolder(path: string): Promise<void> {
    return this.done(packetType.makeFolder, [path, { attributes: { mode: 0o755 } }]);
  }

  /** Bytes that this user may still write where `path` is; undefined where the server can't say. */
  async freeBytes(path: string): Promise<number | undefined> {
    if (!this.extensions.has('statvfs@openssh.com')) {
      return undefined;
    }
    const { fields } = await this.expect(packetType.extendedReply, packetType.extended, [
      'statvfs@openssh.com',
      path,
    ]);
    const [, fragment = 0, , , available = 0] = Array.from({ length: 5 }, () => fields.bigNumber());
    return fragment * available;
  }

  private begin(fields: Fields): void {
    if (fields.number() < 3) {
      throw new NotSftpError('Too old a version of SFTP');
    }
    while (!fields.isAtEnd) {
      this.extensions.add(fields.raw());
      fields.data();
    }
    this.welcome?.resolve();
  }

  private async askLimits(): Promise<void> {
    if (this.extensions.has('limits@openssh.com')) {
      const { fields } = await this.expect(packetType.extendedReply, packetType.extended, [
        'limits@openssh.com',
      ]);
      const [, mostRead = 0, mostWrite = 0] = Array.from({ length: 3 }, () => fields.bigNumber());
      this.piece = Math.max(usualPiece, Math.min(mostPiece, mostRead, mostWrite));
    }
  }

  private async writeAll(
    handle: Buffer,
    content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const open = new Set<Promise<void>>();
    let failure: { readonly error: unknown } | undefined;
    let at = 0;
    for await (const bytes of content) {
      for (let from = 0; from < bytes.length && !failure; from += this.piece) {
        signal?.throwIfAborted();
        const piece = bytes.subarray(from, from + this.piece);
        const written: Promise<void> = this.done(packetType.write, [handle, BigInt(at), piece])
          .catch((error: unknown) => {
            failure ??= { error };
          })
          .finally(() => open.delete(written));
        open.add(written);
        at += piece.length;
        if (open.size >= inFlight / this.piece) {
          await Promise.race(open);
        }
      }
    }
    await Promise.all(open);
    if (failure) {
      throw failure.error;
    }
  }

  /** Returns the bytes from `at` on; fewer than `length` only at the end of the file. */
  private async pieceOf(handle: Buffer, at: number, length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let left = length; left > 0;) {
      const reply = await this.request(packetType.read, [handle, BigInt(at + length - left), left]);
      if (reply.type === packetType.status) {
        if (isEnd(reply)) {
          break;
        }
      }
      const bytes = fieldsOf(reply, packetType.data).data();
      if (bytes.length === 0 || bytes.length > left) {
        throw new NotSftpError('Not the bytes that were asked for');
      }
      pieces.push(bytes);
      left -= bytes.length;
    }
    const [first] = pieces;
    return first && pieces.length === 1 ? first : Buffer.concat(pieces);
  }

  private async namesOf(handle: Buffer): Promise<RemoteName[] | undefined> {
    const reply = await this.request(packetType.readFolder, [handle]);
    if (reply.type === packetType.status && isEnd(reply)) {
      return undefined;
    }
    const fields = fieldsOf(reply, packetType.name);
    const names: RemoteName[] = [];
    for (let left = fields.number(); left > 0; left--) {
      const raw = fields.raw();
      fields.data();
      const attributes = fields.attributes();
      if (raw !== '.' && raw !== '..') {
        // A name leads nowhere else, whatever a machine says.
        if (raw === '' || /[/\0]/.test(raw)) {
          throw new NotSftpError('Not the name of a file');
        }
        names.push({ raw, attributes });
      }
    }
    return names;
  }

  private async handleOf(type: number, parts: readonly Part[]): Promise<Buffer> {
    return (await this.expect(packetType.handle, type, parts)).fields.data();
  }

  /** What is refused here was read or written already; a lost connection rejects what follows. */
  private async close(handle: Buffer): Promise<void> {
    await this.request(packetType.close, [handle]).catch(() => undefined);
  }

  private async done(type: number, parts: readonly Part[]): Promise<void> {
    const reply = await this.request(type, parts);
    if (reply.type !== packetType.status) {
      throw new NotSftpError(`An answer of type ${reply.type}`);
    }
    throwRefusal(reply.fields);
  }

  private async expect(wanted: number, type: number, parts: readonly Part[]): Promise<Reply> {
    const reply = await this.request(type, parts);
    fieldsOf(reply, wanted);
    return reply;
  }

  private request(type: number, parts: readonly Part[]): Promise<Reply> {
    if (this.ended) {
      return Promise.reject(this.ended);
    }
    this.lastId = (this.lastId + 1) >>> 0;
    const id = this.lastId;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.send(packet(type, [id, ...parts]));
    });
  }
}

/** Waits for all, so that none is left over when the first one fails. */
async function settledAll<T>(work: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** Throws what a status other than the end of the file says. */
function isEnd({ fields }: Reply): boolean {
  return throwRefusal(fields) === statusCode.endOfFile;
}

function fieldsOf({ type, fields }: Reply, wanted: number): Fields {
  if (type === packetType.status) {
    throwRefusal(fields);
  }
  if (type !== wanted) {
    throw new NotSftpError(`An answer of type ${type} in place of ${wanted}`);
  }
  return fields;
}

function throwRefusal(fields: Fields): number {
  const code = fields.number();
  if (code === statusCode.ok || code === statusCode.endOfFile) {
    return code;
  }
  const said = fields.isAtEnd ? '' : fields.data().toString('utf8').slice(0, 200);
  throw new SftpError(refusalOf(code), said);
}

function refusalOf(code: number): SftpError['kind'] {
  return code === statusCode.missing
    ? 'missing'
    : code === statusCode.denied
      ? 'denied'
      : code === statusCode.unsupported
        ? 'unsupported'
        : 'failed';
}
