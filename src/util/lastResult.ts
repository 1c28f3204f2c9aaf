/** Keeps the last result, for inputs that are the same objects as before. */
export class LastResult<T> {
  private last: { readonly inputs: readonly unknown[]; readonly value: T } | undefined;

  /** Returns the last value, or a new one where any of the inputs is another than last time. */
  of(inputs: readonly unknown[], make: () => T): T {
    const isSame = this.last?.inputs.every((input, index) => input === inputs[index]) === true;
    if (!this.last || !isSame) {
      this.last = { inputs, value: make() };
    }
    return this.last.value;
  }
}
