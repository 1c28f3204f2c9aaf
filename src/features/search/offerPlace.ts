/** Begins the id of an offer's row. */
export const offerPrefix = 'offer:';

/** The row that the list of offers moves to when it is made anew: the first offer, until the user moves to another. */
export class OfferPlace {
  private rows: readonly (string | undefined)[] = [];
  private first: string | undefined;

  /** `chosen`: the row to come back to. */
  constructor(private chosen?: string) {}

  /** The ids of the rows as they stand now, and of the first offer among them. */
  made(rows: readonly (string | undefined)[], first: string | undefined): void {
    const before = this.rows[this.rows.indexOf(this.chosen) - 1];
    this.rows = rows;
    this.first = first;
    // Offers may come back with another filter; a note that comes back is another note.
    if (this.chosen !== undefined && !this.isThere && !isOffer(this.chosen)) {
      // Where "Show More Offers" stood, the further ones begin.
      const instead = before === undefined ? undefined : rows[rows.indexOf(before) + 1];
      this.chosen = isOffer(instead) && instead !== first ? instead : undefined;
    }
  }

  /** A row that is not there for now leaves its place to the first offer. */
  get active(): string | undefined {
    return this.isThere ? this.chosen : this.first;
  }

  /** The user, or the editor after rows were made, has come to this row. */
  moved(id: string | undefined): void {
    if (id !== this.first) {
      this.chosen = id;
    } else if (this.isThere) {
      this.chosen = undefined;
    }
  }

  /** Back to the first offer. */
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
