/** What one window looks at. */
export interface Interest {
  readonly viewVisible: boolean;
  readonly windowFocused: boolean;
}

/** What all windows look at, as far as this one has heard. */
export class Interests {
  private readonly windows = new Map<string, Interest & { readonly focusedAt: number }>();

  set(windowId: string, interest: Interest, now: number): void {
    const focusedAt = interest.windowFocused ? now : (this.windows.get(windowId)?.focusedAt ?? 0);
    this.windows.set(windowId, { ...interest, focusedAt });
  }

  keepOnly(windowIds: ReadonlySet<string>): void {
    for (const id of this.windows.keys()) {
      if (!windowIds.has(id)) {
        this.windows.delete(id);
      }
    }
  }

  get isLookedAt(): boolean {
    return [...this.windows.values()].some((window) => window.viewVisible && window.windowFocused);
  }

  /** The focused window, else the one that was focused last. */
  get frontWindow(): string | undefined {
    let front: string | undefined;
    let best = -1;
    for (const [id, window] of this.windows) {
      const rank = window.windowFocused ? Number.MAX_SAFE_INTEGER : window.focusedAt;
      if (rank > best) {
        best = rank;
        front = id;
      }
    }
    return front;
  }
}
