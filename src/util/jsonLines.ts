import { parseJson } from './json';

/** JSON values that arrive as lines of bytes. A line longer than `maxBytes` is left out. */
export class JsonLines {
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  /** The rest of the current line is left out, too. */
  private isTooLong = false;

  constructor(
    private readonly on: {
      /** Each value; `undefined` where a line is no JSON. */
      readonly line: (value: unknown) => void;
      /** Called once for each line that is left out, before its end arrives. */
      readonly tooLong: () => void;
      /** May change while lines come in. */
      readonly maxBytes: () => number;
    },
  ) {}

  receive(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      this.keep(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      this.endLine();
    }
    this.keep(rest);
  }

  private keep(part: Buffer): void {
    if (this.isTooLong) {
      return;
    }
    this.pending.push(part);
    this.pendingBytes += part.length;
    if (this.pendingBytes > this.on.maxBytes()) {
      this.pending = [];
      this.isTooLong = true;
      this.on.tooLong();
    }
  }

  private endLine(): void {
    const { isTooLong, pending } = this;
    this.pending = [];
    this.pendingBytes = 0;
    this.isTooLong = false;
    if (!isTooLong) {
      this.on.line(parseLine(Buffer.concat(pending).toString('utf8')));
    }
  }
}

function parseLine(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    return undefined;
  }
}
