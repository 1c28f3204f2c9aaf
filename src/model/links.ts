/** What a link to the extension opens. None can carry a key, rent or destroy; *connect* and *start* ask first. */
export type Link =
  | { readonly kind: 'instance' | 'offer' | 'template' | 'connect' | 'start'; readonly id: number }
  | { readonly kind: 'signIn' };

/** The decoded parts of an address, as the editor hands them over. */
export interface LinkParts {
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

const withId = ['instance', 'offer', 'template', 'connect', 'start'] as const;

/**
 * Reads `/instance?id=5`, `/offer?id=5`, `/template?id=5`, `/connect?id=5`, `/start?id=5` or `/sign-in`.
 * `undefined` for anything else: a link may come from anywhere, so an unknown part is a reason to open nothing.
 */
export function readLink({ path, query, fragment }: LinkParts): Link | undefined {
  const place = path.replace(/\/$/, '');
  if (fragment !== '') {
    return undefined;
  }
  if (place === '/sign-in') {
    return query === '' ? { kind: 'signIn' } : undefined;
  }
  const kind = withId.find((name) => place === `/${name}`);
  const id = Number(/^id=([1-9]\d{0,15})$/.exec(query)?.[1]);
  return kind && Number.isSafeInteger(id) ? { kind, id } : undefined;
}

/** The address that opens something of this extension in the editor with this scheme. */
export function linkTo(scheme: string, { kind, id }: Extract<Link, { readonly id: number }>): string {
  return `${scheme}://gpu-rental.gpu-rental/${kind}?id=${id}`;
}
