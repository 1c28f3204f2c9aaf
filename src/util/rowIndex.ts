/** Finds rows of a list by a key. The list is indexed once, because each of thousands of rows of a view asks. */
export class RowIndex<Row, Key> {
  private of: readonly Row[] = [];
  private byKey = new Map<Key, Row>();

  constructor(private readonly keyOf: (row: Row) => Key) {}

  /** Returns the first row with the key. */
  find(rows: readonly Row[], key: Key): Row | undefined {
    if (rows !== this.of) {
      this.of = rows;
      // The first of two rows with the same key is written last.
      this.byKey = new Map([...rows].reverse().map((row) => [this.keyOf(row), row]));
    }
    return this.byKey.get(key);
  }
}
