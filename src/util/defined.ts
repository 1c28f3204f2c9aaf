/** Leaves out what is not known, so that records compare and spread without `undefined`. */
export function defined<T extends object>(value: { readonly [K in keyof T]: T[K] | undefined }): T {
  // Each key that stays has a value; those that go are optional in `T`, which callers state.
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}
