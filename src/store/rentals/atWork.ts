/** Rentals that this window is at work on, by their marker. */
export class AtWork {
  private readonly times = new Map<string, number>();

  has(marker: string): boolean {
    return (this.times.get(marker) ?? 0) > 0;
  }

  /** Runs `work` for a rental, perhaps beside other work for it. */
  async during<T>(marker: string, work: () => Promise<T>): Promise<T> {
    this.add(marker, 1);
    try {
      return await work();
    } finally {
      this.add(marker, -1);
    }
  }

  private add(marker: string, change: number): void {
    this.times.set(marker, (this.times.get(marker) ?? 0) + change);
  }
}
