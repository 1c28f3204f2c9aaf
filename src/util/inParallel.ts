/** Results in the order of the items, of which `width` are worked on at a time. */
export async function* inOrder<T, R>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const ahead: Promise<R>[] = [];
  for (const item of items) {
    const result = work(item);
    // A failure is thrown when it is the turn of its item.
    result.catch(() => undefined);
    ahead.push(result);
    const first = ahead.length > width ? ahead.shift() : undefined;
    if (first) {
      yield await first;
    }
  }
  for (const result of ahead) {
    yield await result;
  }
}

/** Runs `work` on every item, at most `width` at a time; the first failure is thrown once all have ended. */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
      await work(next.value);
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: width }, worker));
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed) {
    throw failed.reason;
  }
}
