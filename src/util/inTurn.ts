/** Returns a function that begins each action once the one before has ended, so that what it reads holds when it writes. */
export function inTurn(): <T>(action: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (action) => {
    const done = last.then(action);
    last = done.catch(() => undefined);
    return done;
  };
}
