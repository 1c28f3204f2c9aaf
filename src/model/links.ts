/** Where an instance of another user is reached, and the key that it accepts from this computer. */
export interface SharedPlace {
  /** Number of the instance in the account of its owner. */
  readonly id: number;
  readonly host: string;
  readonly port: number;
  /** `SHA256:…` of the public key that was given access. */
  readonly fingerprint: string;
  /** The host key that the owner has seen; absent before the first login. */
  readonly hostKey?: HostKey;
}

export interface HostKey {
  /** Such as `ssh-ed25519`. */
  readonly type: string;
  readonly base64: string;
}

/** What a link to the extension opens. None can carry a key, rent or destroy; all but the places to look at ask first. */
export type Link =
  | { readonly kind: 'instance' | 'offer' | 'template' | 'connect' | 'start'; readonly id: number }
  | { readonly kind: 'shared'; readonly place: SharedPlace }
  | { readonly kind: 'signIn' };

/** The decoded parts of an address, as the editor hands them over. */
export interface LinkParts {
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

const withId = ['instance', 'offer', 'template', 'connect', 'start'] as const;
const sharedQuery =
  /^id=([1-9]\d{0,15})&host=([A-Za-z0-9.:-]{1,253})&port=([1-9]\d{0,4})&key=([A-Za-z0-9_-]{43})(?:&hostkey=([a-z0-9-]{7,40})\.([A-Za-z0-9_-]{32,1000}))?$/;

/**
 * Reads `/instance?id=5`, `/offer?id=5`, `/template?id=5`, `/connect?id=5`, `/start?id=5`, `/shared?id=5&host=…` or
 * `/sign-in`. `undefined` for anything else: a link may come from anywhere, so an unknown part is a reason to open nothing.
 */
export function readLink({ path, query, fragment }: LinkParts): Link | undefined {
  const place = path.replace(/\/$/, '');
  if (fragment !== '') {
    return undefined;
  }
  if (place === '/sign-in') {
    return query === '' ? { kind: 'signIn' } : undefined;
  }
  if (place === '/shared') {
    return sharedLink(query);
  }
  const kind = withId.find((name) => place === `/${name}`);
  const id = Number(/^id=([1-9]\d{0,15})$/.exec(query)?.[1]);
  return kind && Number.isSafeInteger(id) ? { kind, id } : undefined;
}

function sharedLink(query: string): Link | undefined {
  const [, digits, host = '', port, key = '', type, base64] = sharedQuery.exec(query) ?? [];
  const id = Number(digits);
  return Number.isSafeInteger(id) && Number(port) <= 65_535
    ? {
        kind: 'shared',
        place: {
          id,
          host,
          port: Number(port),
          fingerprint: `SHA256:${fromUrl(key)}`,
          ...(type === undefined || base64 === undefined
            ? {}
            : { hostKey: { type, base64: padded(base64) } }),
        },
      }
    : undefined;
}

/** The address that opens something of this extension in the editor with this scheme. */
export function linkTo(scheme: string, link: Exclude<Link, { readonly kind: 'signIn' }>): string {
  const start = `${scheme}://gpu-rental.gpu-rental/${link.kind}?id=`;
  if (link.kind !== 'shared') {
    return `${start}${link.id}`;
  }
  const { id, host, port, fingerprint, hostKey } = link.place;
  const key = toUrl(fingerprint.replace(/^SHA256:/, ''));
  const pinned = hostKey ? `&hostkey=${hostKey.type}.${toUrl(hostKey.base64)}` : '';
  return `${start}${id}&host=${host}&port=${port}&key=${key}${pinned}`;
}

/** Without signs that an address has to escape, since programs on its way decode them once or twice. */
function toUrl(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function fromUrl(text: string): string {
  return text.replaceAll('-', '+').replaceAll('_', '/');
}

function padded(text: string): string {
  return fromUrl(text).padEnd(Math.ceil(text.length / 4) * 4, '=');
}
