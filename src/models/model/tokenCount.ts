/** Characters of a token, before an answer has shown more. */
const usualCharacters = 4;
/** What one answer may change: a strange count must not spoil all others. */
const range = [1, 8] as const;
const weight = 0.3;

/** Estimates tokens by the characters of earlier requests, since the editor asks for counts many times for each. */
export class TokenCount {
  private charactersEach = usualCharacters;

  of(characters: number): number {
    return Math.ceil(characters / this.charactersEach);
  }

  /** Notes what the engine counted for a request. */
  note(characters: number, tokens: number): void {
    if (characters < 100 || tokens < 1) {
      return;
    }
    const seen = Math.min(range[1], Math.max(range[0], characters / tokens));
    this.charactersEach += (seen - this.charactersEach) * weight;
  }
}
