type Answer = Readonly<Record<string, unknown>>;

/** Each holds a few kilobytes. */
const mostKept = 50;

/**
 * The answers of the last commands that this window ran for agents, by the request: a client that did not get one calls
 * again. In memory only, because they may hold secrets.
 */
export class CommandAnswers {
  private readonly kept = new Map<string, Answer>();

  keep(request: string, answer: Answer): void {
    this.kept.set(request, answer);
    const [oldest] = this.kept.keys();
    if (this.kept.size > mostKept && oldest !== undefined) {
      this.kept.delete(oldest);
    }
  }

  find(request: string): Answer | undefined {
    return this.kept.get(request);
  }
}
