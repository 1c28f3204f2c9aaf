/** The source for a new container of an instance. The machine and its price stay. */
export type ImageChange =
  { readonly kind: 'image'; readonly image: string } | { readonly kind: 'template'; readonly hash: string };
