/** A request as it arrived, for tests; kept in memory only, because bodies carry secrets. */
export interface ReceivedRequest {
  readonly seq: number;
  readonly method: string;
  /** As sent, with or without its final slash, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly keyId?: number;
  /** Whether the request carried a key; the key itself is not kept. */
  readonly hasAuthorization: boolean;
  readonly contentType?: string;
  /** Unix milliseconds of the simulated time. */
  readonly atMs: number;
  /** 0 while unanswered or when the connection was dropped. */
  readonly status: number;
  /** The status of the resource itself, before any fault changed it; missing if it was not called. */
  readonly handled?: number;
}

const longest = 5000;

export class RequestLog {
  private entries: ReceivedRequest[] = [];
  private nextSeq = 1;

  add(entry: Omit<ReceivedRequest, 'seq' | 'status'>): number {
    const seq = this.nextSeq;
    this.nextSeq += 1;
    this.entries.push({ ...entry, seq, status: 0 });
    if (this.entries.length > longest) {
      this.entries.shift();
    }
    return seq;
  }

  complete(seq: number, rest: Partial<Pick<ReceivedRequest, 'status' | 'keyId' | 'body' | 'handled'>>): void {
    const index = this.entries.findLastIndex((entry) => entry.seq === seq);
    const entry = this.entries[index];
    if (entry) {
      this.entries[index] = { ...entry, ...rest };
    }
  }

  /** Those after `since`, oldest first; requests under `/__sim/` are not kept. */
  list(since = 0): readonly ReceivedRequest[] {
    return this.entries.filter((entry) => entry.seq > since);
  }

  clear(): void {
    this.entries = [];
  }
}
