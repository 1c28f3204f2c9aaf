/**
 * A template as favorites, recents and workspace files remember it. Only the id identifies it; the rest is for
 * display.
 */
export interface TemplateRef {
  readonly id: number;
  readonly name?: string;
  /** The hash at the last visit. Another hash means that the template has been edited. */
  readonly hash?: string;
}

/** The state of a remembered template. */
export type TemplateRefState =
  | { readonly kind: 'current'; readonly hash: string }
  | { readonly kind: 'edited'; readonly hash: string }
  | { readonly kind: 'deleted' };

/** Compares a remembered template with the one at the service. A rental sends the current hash. */
export function refState(ref: TemplateRef, found: { readonly hashId: string } | undefined): TemplateRefState {
  if (!found) {
    return { kind: 'deleted' };
  }
  return ref.hash === undefined || ref.hash === found.hashId
    ? { kind: 'current', hash: found.hashId }
    : { kind: 'edited', hash: found.hashId };
}

/** The number of templates listed as recent. */
export const mostRecents = 10;

/** Returns the list with `ref` first, limited to `limit` entries. */
export function remember(
  list: readonly TemplateRef[],
  ref: TemplateRef,
  limit: number,
): readonly TemplateRef[] {
  return [ref, ...list.filter((other) => other.id !== ref.id)].slice(0, limit);
}
