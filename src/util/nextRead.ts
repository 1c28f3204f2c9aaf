/**
 * Reads one at a time. Each caller gets a read that begins after its call, so that
 * it has all earlier changes; callers that wait for the current read share the next.
 */
export class NextRead<T, How = void> {
  private current: Promise<T> | undefined;
  private next: { how: How; readonly done: Promise<T> } | undefined;

  constructor(
    private readonly read: (how: How) => Promise<T>,
    /** Returns how to read for two who share a read. */
    private readonly join: (one: How, other: How) => How = (one) => one,
  ) {}

  get isReading(): boolean {
    return this.current !== undefined;
  }

  ask(how: How): Promise<T> {
    if (this.next) {
      this.next.how = this.join(this.next.how, how);
      return this.next.done;
    }
    if (!this.current) {
      return this.begin(how);
    }
    const begin = (): Promise<T> => {
      this.next = undefined;
      return this.begin(next.how);
    };
    const next = { how, done: this.current.then(begin, begin) };
    this.next = next;
    return next.done;
  }

  private begin(how: How): Promise<T> {
    const own = this.read(how).finally(() => {
      if (this.current === own) {
        this.current = undefined;
      }
    });
    this.current = own;
    return own;
  }
}
