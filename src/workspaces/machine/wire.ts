/**
 * Packets of SFTP version 3 (draft-ietf-secsh-filexfer-02) and the extensions of OpenSSH's PROTOCOL file. Names and paths
 * are raw: one character for each byte (latin1), because a machine may have names that are not UTF-8.
 */

export const packetType = {
  init: 1,
  version: 2,
  open: 3,
  close: 4,
  read: 5,
  write: 6,
  lstat: 7,
  setStat: 9,
  fsetStat: 10,
  openFolder: 11,
  readFolder: 12,
  remove: 13,
  makeFolder: 14,
  realPath: 16,
  stat: 17,
  rename: 18,
  readLink: 19,
  status: 101,
  handle: 102,
  data: 103,
  name: 104,
  attributes: 105,
  extended: 200,
  extendedReply: 201,
} as const;

export const openFlag = { read: 1, write: 2, create: 8, exclusive: 32 } as const;

/** The answer is not SFTP, or not what was asked for. */
export class NotSftpError extends Error {}

/** What a machine says of a file. Times are whole seconds since 1970 by its own clock. */
export interface Attributes {
  readonly size?: number;
  readonly owner?: { readonly user: number; readonly group: number };
  /** Type and permissions, as in `st_mode`. */
  readonly mode?: number;
  readonly modified?: number;
}

const hasPart = { size: 1, owner: 2, mode: 4, times: 8, extended: 0x80000000 } as const;

export type Part = number | bigint | string | Uint8Array | { readonly attributes: Attributes };

/** A packet of numbers (32 bits), big numbers (64 bits), and strings or bytes with their length before them. */
export function packet(type: number, parts: readonly Part[]): Buffer {
  const body = parts.flatMap(bytesOf);
  const length = body.reduce((sum, part) => sum + part.length, 1);
  return Buffer.concat([number32(length), Buffer.from([type]), ...body], length + 4);
}

/** Bytes are not copied before the whole packet is. */
function bytesOf(part: Part): Uint8Array | readonly Uint8Array[] {
  if (typeof part === 'number') {
    return number32(part);
  }
  if (typeof part === 'bigint') {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(part);
    return bytes;
  }
  if (typeof part === 'object' && 'attributes' in part) {
    return attributeBytes(part.attributes);
  }
  const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
  return [number32(bytes.length), bytes];
}

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
}

function attributeBytes({ owner, mode }: Attributes): Buffer {
  const flags = (owner ? hasPart.owner : 0) | (mode === undefined ? 0 : hasPart.mode);
  return Buffer.concat([
    number32(flags),
    ...(owner ? [number32(owner.user), number32(owner.group)] : []),
    ...(mode === undefined ? [] : [number32(mode)]),
  ]);
}

/** Reads the fields of one packet. Throws `NotSftpError` where they are cut. */
export class Fields {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  number(): number {
    return this.next(4).readUInt32BE();
  }

  /** Sizes above 2^53 lose their last digits. */
  bigNumber(): number {
    return Number(this.next(8).readBigUInt64BE());
  }

  data(): Buffer {
    return this.next(this.number());
  }

  raw(): string {
    return this.data().toString('latin1');
  }

  attributes(): Attributes {
    const flags = this.number();
    const size = flags & hasPart.size ? { size: this.bigNumber() } : {};
    const owner = flags & hasPart.owner ? { owner: { user: this.number(), group: this.number() } } : {};
    const mode = flags & hasPart.mode ? { mode: this.number() } : {};
    const times = flags & hasPart.times ? this.times() : {};
    if ((flags & hasPart.extended) !== 0) {
      for (let left = this.number(); left > 0; left--) {
        this.data();
        this.data();
      }
    }
    return { ...size, ...owner, ...mode, ...times };
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  private times(): Attributes {
    this.number();
    return { modified: this.number() };
  }

  private next(length: number): Buffer {
    if (length > this.bytes.length - this.at) {
      throw new NotSftpError('A packet ends too early');
    }
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }
}

/** The longest packet that a server may send, in bytes: OpenSSH sends at most 256 KB. */
const longest = 300_000;
/** The length of a packet and its type. */
const headBytes = 5;

/** Cuts a stream of bytes into packets. Throws `NotSftpError` where the bytes can be none. */
export class PacketReader {
  /** What has arrived of the next packet, and the bytes that are needed to go on. */
  private pieces: Buffer[] = [];
  private arrived = 0;
  private needed = headBytes;
  private isBegun = false;

  *read(piece: Buffer): Generator<{ readonly type: number; readonly body: Buffer }> {
    this.pieces.push(piece);
    this.arrived += piece.length;
    // A packet is put together once, when it is whole.
    if (this.arrived < this.needed) {
      return;
    }
    let rest = this.pieces.length === 1 ? piece : Buffer.concat(this.pieces, this.arrived);
    this.needed = headBytes;
    while (rest.length >= headBytes) {
      const length = rest.readUInt32BE();
      const type = rest[4] ?? 0;
      // What a start-up file prints is found by its first bytes, before a length of text is waited for.
      if (length < 1 || length > longest || (!this.isBegun && type !== packetType.version)) {
        throw new NotSftpError(`Not a packet: ${JSON.stringify(rest.subarray(0, 60).toString('latin1'))}`);
      }
      if (rest.length < length + 4) {
        this.needed = length + 4;
        break;
      }
      this.isBegun = true;
      const body = rest.subarray(headBytes, length + 4);
      rest = rest.subarray(length + 4);
      yield { type, body };
    }
    this.pieces = rest.length === 0 ? [] : [rest];
    this.arrived = rest.length;
  }
}
