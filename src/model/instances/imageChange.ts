/** What the container of an instance is created again from; the machine and its price stay. */
export type ImageChange =
  { readonly kind: 'image'; readonly image: string } | { readonly kind: 'template'; readonly hash: string };
