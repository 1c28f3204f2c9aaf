import { text } from '../../util/text';
import { ByteReader } from '../byteReader';
import { plainText } from '../plainText';
import type { RunOptions, RunResult } from '../run';
import { atMost, lastLines, spareBytes, sumOf, TransferError } from '../transfer';
import { readFileList, type ListedFile } from './fileList';
import { EndedError, ints, RsyncReader, withoutMessages } from './wire';

/** Runs `rsync --server --daemon .` on a host, with its streams. */
export type OpenDaemon = (options: Pick<RunOptions, 'input' | 'output' | 'signal'>) => Promise<RunResult>;

export interface DaemonCopy {
  /** The daemon's name for the instance. */
  readonly module: string;
  /** The absolute path of a folder of the instance, without patterns; everything below it is listed as well. */
  readonly folder: string;
  /** What is neither listed nor fetched, in the syntax of rsync's `--exclude`. */
  readonly exclude?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Selects the listed files to fetch. */
  readonly choose: (files: readonly ListedFile[]) => readonly ListedFile[];
  /** Receives a file; content that it does not read is skipped. */
  readonly write: (file: ListedFile, content: AsyncIterable<Buffer>) => Promise<void>;
}

/** The most bytes that a host may print before its answer. */
const noiseBytes = 65_536;
const lineBytes = 4_096;
/** The most bytes of a list. */
const listBytes = 300_000_000;
/**
 * Length of the checksum after a file. SSH has already proved its bytes, and the hash of the job's list proves their
 * content.
 */
const sumBytes = 16;
const transfer = 0x8000;
const basisFollows = 0x0800;
const nameFollows = 0x1000;
const done = -1;

/**
 * Fetches files from an rsync daemon behind SSH by protocol 29, which every version since 2005 speaks. It does not
 * compare with local files: each file is sent whole (docs/decisions/0044-outputs-of-a-stopped-machine.md).
 */
export async function copyFromDaemon(open: OpenDaemon, copy: DaemonCopy): Promise<void> {
  const requests = new Outbox();
  const messages: string[] = [];
  const outcome = { isWhole: false };
  const allowed = { bytes: listBytes };
  const result = await open({
    signal: copy.signal,
    input: requests,
    output: async (bytes) => {
      try {
        const reader = new ByteReader(atMost(bytes, () => allowed.bytes));
        outcome.isWhole = await converse(reader, requests, messages, copy, allowed);
      } catch (error) {
        if (!(error instanceof EndedError)) {
          throw error;
        }
      } finally {
        requests.end();
      }
    },
  });
  if (!outcome.isWhole) {
    throw refused(lastLines(result) || messages.join(' '));
  }
}

function refused(message: string): TransferError {
  return new TransferError(
    text('The host of the instance gave no files away: {0}', plainText(message) || '–'),
  );
}

/** Returns false if no daemon answered: the login or its program failed. */
async function converse(
  reader: ByteReader,
  requests: Outbox,
  messages: string[],
  copy: DaemonCopy,
  allowed: { bytes: number },
): Promise<boolean> {
  if (!(await reader.until('@RSYNCD: ', noiseBytes)) || !(await reader.until('\n', lineBytes))) {
    return false;
  }
  await ask(reader, requests, copy);
  // The seed of the checksums, which are not verified.
  await new RsyncReader(reader).int();
  const stream = new ByteReader(
    withoutMessages(reader, (line) => {
      messages.splice(0, messages.length - 1);
      messages.push(line);
    }),
  );
  const data = new RsyncReader(stream);
  requests.add(filtersOf(copy));
  const files = await readFileList(data);
  const chosen = new Set(copy.choose(files));
  const wanted = new Map([...files.entries()].filter(([, file]) => chosen.has(file)));
  // Each piece has a few bytes of its own.
  allowed.bytes += sumOf(chosen) * 1.01 + spareBytes;
  for (const index of wanted.keys()) {
    requests.add(requestOf(index));
  }
  // The ends of the first pass, of a second pass for damaged files, and of both sides.
  requests.add(ints(done, done, done, done));
  await receive(data, wanted, copy);
  // The daemon aborts if its input ends before it does.
  await stream.drain();
  return true;
}

/** Sends the request. */
async function ask(reader: ByteReader, requests: Outbox, { module, folder }: DaemonCopy): Promise<void> {
  requests.add(Buffer.from(`@RSYNCD: 29.0\n${module}\n`));
  for (;;) {
    const line = (await reader.until('\n', lineBytes))?.toString('utf8');
    if (line === '@RSYNCD: OK') {
      break;
    }
    if (line === undefined || line.startsWith('@')) {
      throw refused(line ?? '');
    }
  }
  const args = ['--server', '--sender', '-rlt', '.', `${module}${folder}/`];
  requests.add(Buffer.from(`${args.join('\n')}\n\n`));
}

/** Returns the filters, each with its length before it, and their end. */
function filtersOf({ exclude }: DaemonCopy): Buffer {
  const rule = Buffer.from(`- ${exclude ?? ''}`);
  return exclude === undefined ? ints(0) : Buffer.concat([ints(rule.length), rule, ints(0)]);
}

/** Returns a request for a file without a local copy to compare. */
function requestOf(index: number): Buffer {
  const flags = Buffer.alloc(2);
  flags.writeUInt16LE(transfer);
  return Buffer.concat([ints(index), flags, ints(0, 0, 0, 0)]);
}

async function receive(
  data: RsyncReader,
  wanted: ReadonlyMap<number, ListedFile>,
  { write }: DaemonCopy,
): Promise<void> {
  for (let ends = 0; ends < 3;) {
    const index = await data.int();
    if (index === done) {
      ends += 1;
      continue;
    }
    const flags = await data.short();
    const file = wanted.get(index);
    if (!file || (flags & (basisFollows | nameFollows)) !== 0) {
      throw new TransferError('the host sent what was not asked for');
    }
    await data.bytes(16);
    const content = new Content(data, file.size);
    await write(file, content);
    await content.skip();
    await data.bytes(sumBytes);
  }
}

/** The content of one file. Unread content is skipped. */
class Content implements AsyncIterable<Buffer> {
  private remaining = 0;
  private isOver = false;

  constructor(
    private readonly data: RsyncReader,
    /** The listed size. A host that sends more is not trusted, to protect this computer's disk. */
    private open: number,
  ) {}

  async skip(): Promise<void> {
    while (await this.next()) {
      // Skipped.
    }
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer> {
    return {
      next: async () => {
        const value = await this.next();
        return value ? { done: false, value } : { done: true, value: undefined };
      },
    };
  }

  private async next(): Promise<Buffer | undefined> {
    if (!this.isOver && this.remaining === 0) {
      this.remaining = await this.data.int();
      this.isOver = this.remaining === 0;
    }
    if (this.isOver) {
      return undefined;
    }
    if (this.remaining < 0 || this.remaining > this.open) {
      throw new TransferError('the host sent what was not asked for');
    }
    const piece = await this.data.some(this.remaining);
    this.remaining -= piece.length;
    this.open -= piece.length;
    return piece;
  }
}

/** Bytes to send, passed on as fast as the other side accepts them. */
class Outbox implements AsyncIterable<Buffer> {
  private readonly waiting: Buffer[] = [];
  private isEnded = false;
  private wake: () => void = () => undefined;

  add(bytes: Buffer): void {
    this.waiting.push(bytes);
    this.wake();
  }

  end(): void {
    this.isEnded = true;
    this.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (;;) {
      if (this.waiting.length > 0) {
        yield Buffer.concat(this.waiting.splice(0));
      } else if (this.isEnded) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
      }
    }
  }
}
