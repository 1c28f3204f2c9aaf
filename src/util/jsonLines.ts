/** JSON values that come as lines of bytes. A line longer than `maxBytes` ends the reading. */
export class JsonLines {
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  private isOver = false;

  constructor(
    private readonly on: {
      /** Each value; `undefined` where a line is no JSON. */
      readonly line: (value: unknown) => void;
      readonly tooLong: () => void;
      /** May change while lines come in. */
      readonly maxBytes: () => number;
    },
  ) {}

  take(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(10); end !== -1 && !this.isOver; end = rest.indexOf(10)) {
      if (this.pendingBytes + end > this.on.maxBytes()) {
        this.stop();
        return;
      }
      const line = Buffer.concat([...this.pending, rest.subarray(0, end)]).toString('utf8');
      this.pending = [];
      this.pendingBytes = 0;
      rest = rest.subarray(end + 1);
      this.on.line(parseLine(line));
    }
    this.pending.push(rest);
    this.pendingBytes += rest.length;
    if (!this.isOver && this.pendingBytes > this.on.maxBytes()) {
      this.stop();
    }
  }

  private stop(): void {
    this.isOver = true;
    this.pending = [];
    this.on.tooLong();
  }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
