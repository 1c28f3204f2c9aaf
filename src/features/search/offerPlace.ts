/** Prefix of the id of an offer's row. */
export const offerPrefix = 'offer:';

/** The row to activate when the list of offers is rebuilt: the first offer, until the user moves to another row. */
export class OfferPlace {
  private rows: readonly (string | undefined)[] = [];
  private first: string | undefined;

  /** `chosen`: the row to return to. */
  constructor(private chosen?: string) {}

  /** Sets the ids of the rebuilt rows, and the id of the first offer among them. */
  made(rows: readonly (string | undefined)[], first: string | undefined): void {
    const before = this.rows[this.rows.indexOf(this.chosen) - 1];
    this.rows = rows;
    this.first = first;
    // An offer may return under another filter, so its id is kept. The id of any other row is dropped.
    if (this.chosen !== undefined && !this.isThere && !isOffer(this.chosen)) {
      // "Show More Offers" is replaced by the first of the added offers.
      const instead = before === undefined ? undefined : rows[rows.indexOf(before) + 1];
      this.chosen = isOffer(instead) && instead !== first ? instead : undefined;
    }
  }

  /** Falls back to the first offer while the chosen row is missing. */
  get active(): string | undefined {
    return this.isThere ? this.chosen : this.first;
  }

  /** Called when the user, or the editor after a rebuild, activates this row. */
  moved(id: string | undefined): void {
    if (id !== this.first) {
      this.chosen = id;
    } else if (this.isThere) {
      this.chosen = undefined;
    }
  }

  /** Returns to the first offer. */
  reset(): void {
    this.chosen = undefined;
  }

  private get isThere(): boolean {
    return this.chosen !== undefined && this.rows.includes(this.chosen);
  }
}

function isOffer(id: string | undefined): boolean {
  return id?.startsWith(offerPrefix) === true;
}
