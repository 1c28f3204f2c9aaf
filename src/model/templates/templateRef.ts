/** A template as favourites, recents and workspace files remember it: the id decides, the rest is for people. */
export interface TemplateRef {
  readonly id: number;
  readonly name?: string;
  /** The hash when it was last looked at; another one means that it was edited since. */
  readonly hash?: string;
}

/** What became of a remembered template. */
export type TemplateRefState =
  | { readonly kind: 'current'; readonly hash: string }
  | { readonly kind: 'edited'; readonly hash: string }
  | { readonly kind: 'deleted' };

/** Compares what was remembered with what the service has; the current hash is what a rental sends. */
export function refState(ref: TemplateRef, found: { readonly hashId: string } | undefined): TemplateRefState {
  if (!found) {
    return { kind: 'deleted' };
  }
  return ref.hash === undefined || ref.hash === found.hashId
    ? { kind: 'current', hash: found.hashId }
    : { kind: 'edited', hash: found.hashId };
}

/** How many are listed as used lately. */
export const mostRecents = 10;

/** The list with `ref` first and at most `limit` long. */
export function remember(
  list: readonly TemplateRef[],
  ref: TemplateRef,
  limit: number,
): readonly TemplateRef[] {
  return [ref, ...list.filter((other) => other.id !== ref.id)].slice(0, limit);
}
