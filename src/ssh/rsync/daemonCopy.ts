import { text } from '../../util/text';
import { ByteReader } from '../byteReader';
import { plainText } from '../plainText';
import type { RunOptions, RunResult } from '../run';
import { lastWords, TransferError } from '../transfer';
import { readFileList, type ListedFile } from './fileList';
import { EndedError, ints, RsyncReader, withoutMessages } from './wire';

/** Runs `rsync --server --daemon .` on a host, with its streams. */
export type OpenDaemon = (options: Pick<RunOptions, 'input' | 'output' | 'signal'>) => Promise<RunResult>;

export interface DaemonCopy {
  /** What the daemon calls the instance. */
  readonly module: string;
  /** A whole path of a folder of the instance, without a pattern in it; what is below it comes as well. */
  readonly folder: string;
  readonly signal?: AbortSignal | undefined;
  /** Which of the listed files are to come. */
  readonly choose: (files: readonly ListedFile[]) => readonly ListedFile[];
  /** Takes one; what it leaves of the content is skipped. */
  readonly take: (file: ListedFile, content: AsyncIterable<Buffer>) => Promise<void>;
}

/** What a host may print before it begins. */
const noiseBytes = 65_536;
const lineBytes = 4_096;
/** Of the sum that follows a file; SSH has proved its bytes already, and the hash of the job's list what they should be. */
const sumBytes = 16;
const transfer = 0x8000;
const basisFollows = 0x0800;
const nameFollows = 0x1000;
const done = -1;

/**
 * Fetches files from an rsync daemon behind SSH, by protocol 29, which each version since 2005 speaks. It compares
 * nothing with what is here: each file comes whole (docs/decisions/0044-outputs-of-a-stopped-machine.md).
 */
export async function copyFromDaemon(open: OpenDaemon, copy: DaemonCopy): Promise<void> {
  const requests = new Outbox();
  const said: string[] = [];
  const outcome = { isWhole: false };
  const result = await open({
    signal: copy.signal,
    input: requests,
    output: async (bytes) => {
      try {
        outcome.isWhole = await converse(new ByteReader(bytes), requests, said, copy);
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
    throw refused(lastWords(result) || said.join(' '));
  }
}

function refused(said: string): TransferError {
  return new TransferError(text('The host of the instance gave no files away: {0}', plainText(said) || '–'));
}

/** False where no daemon spoke: then the login failed, or its program. */
async function converse(
  reader: ByteReader,
  requests: Outbox,
  said: string[],
  copy: DaemonCopy,
): Promise<boolean> {
  if (!(await reader.until('@RSYNCD: ', noiseBytes)) || !(await reader.until('\n', lineBytes))) {
    return false;
  }
  await ask(reader, requests, copy);
  // A number for sums, which are not looked at.
  await new RsyncReader(reader).int();
  const stream = new ByteReader(
    withoutMessages(reader, (line) => {
      said.splice(0, said.length - 1);
      said.push(line);
    }),
  );
  const data = new RsyncReader(stream);
  // No filters.
  requests.add(ints(0));
  const files = await readFileList(data);
  const chosen = new Set(copy.choose(files));
  const wanted = new Map([...files.entries()].filter(([, file]) => chosen.has(file)));
  for (const index of wanted.keys()) {
    requests.add(requestOf(index));
  }
  // The ends of the first pass, of a second one for what came broken, and of both sides.
  requests.add(ints(done, done, done, done));
  await receive(data, wanted, copy);
  // The daemon gives up where its input ends before its own end.
  await stream.drain();
  return true;
}

/** Names what is wanted. */
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

/** A file, of which nothing is here that could be compared. */
function requestOf(index: number): Buffer {
  const flags = Buffer.alloc(2);
  flags.writeUInt16LE(transfer);
  return Buffer.concat([ints(index), flags, ints(0, 0, 0, 0)]);
}

async function receive(
  data: RsyncReader,
  wanted: ReadonlyMap<number, ListedFile>,
  { take }: DaemonCopy,
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
    await take(file, content);
    await content.skip();
    await data.bytes(sumBytes);
  }
}

/** One file. What is not read of it is skipped. */
class Content implements AsyncIterable<Buffer> {
  private left = 0;
  private isOver = false;

  constructor(
    private readonly data: RsyncReader,
    /** What the list says. A host that sends more is not believed, for the sake of this computer's disk. */
    private open: number,
  ) {}

  async skip(): Promise<void> {
    while (await this.next()) {
      // Only read over.
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
    if (!this.isOver && this.left === 0) {
      this.left = await this.data.int();
      this.isOver = this.left === 0;
    }
    if (this.isOver) {
      return undefined;
    }
    if (this.left < 0 || this.left > this.open) {
      throw new TransferError('the host sent what was not asked for');
    }
    const piece = await this.data.some(this.left);
    this.left -= piece.length;
    this.open -= piece.length;
    return piece;
  }
}

/** Bytes to send, handed on as fast as the other side takes them. */
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
