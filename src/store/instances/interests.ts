/** What one window currently shows. */
export interface Interest {
  readonly viewVisible: boolean;
  readonly windowFocused: boolean;
}

/** What all windows show, as far as this one has heard. */
export class Interests {
  private readonly windows = new Map<string, Interest>();

  set(windowId: string, interest: Interest): void {
    this.windows.set(windowId, interest);
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
}
