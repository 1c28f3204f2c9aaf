/**
 * Reads one at a time. Whoever asks gets a read that begins after they asked, so that what was changed before
 * is in it; all who wait for the one under way share the next.
 */
export class NextRead<T> {
  private current: Promise<T> | undefined;
  private next: Promise<T> | undefined;

  constructor(private readonly read: () => Promise<T>) {}

  ask(): Promise<T> {
    if (this.next) {
      return this.next;
    }
    if (!this.current) {
      return this.begin();
    }
    const begin = () => {
      this.next = undefined;
      return this.begin();
    };
    this.next = this.current.then(begin, begin);
    return this.next;
  }

  private begin(): Promise<T> {
    const own = this.read().finally(() => {
      if (this.current === own) {
        this.current = undefined;
      }
    });
    this.current = own;
    return own;
  }
}
