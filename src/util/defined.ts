/** Leaves out undefined values, so that records compare and spread without `undefined`. */
export function defined<T extends object>(value: { readonly [K in keyof T]: T[K] | undefined }): T {
  const known: Partial<T> = {};
  for (const key of Object.keys(value) as (keyof T)[]) {
    const field = value[key];
    if (field !== undefined) {
      known[key] = field;
    }
  }
  // Each key that stays has a value; callers declare the removed ones as optional in `T`.
  return known as T;
}
