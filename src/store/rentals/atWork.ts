/** The rentals that this window is working on, by marker. */
export class AtWork {
  private readonly times = new Map<string, number>();

  has(marker: string): boolean {
    return (this.times.get(marker) ?? 0) > 0;
  }

  /** Runs `work` for a rental; several can overlap. */
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
