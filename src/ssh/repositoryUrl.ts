import { checkHost, checkPort } from './validate';

/** An address to clone a repository from, without a secret. */
export interface RepositoryUrl {
  /** `https://…` or `ssh://…`, assembled from checked parts only. */
  readonly url: string;
  readonly protocol: 'https' | 'ssh';
  /** Name of the folder that the clone creates. */
  readonly name: string;
  /** True if the remote's own address contained a password or a token, which is left out here. */
  readonly hadSecret: boolean;
}

/** `git@host:owner/name.git`, which git accepts besides real URLs. */
const scpLike = /^(?:([A-Za-z0-9._-]+)@)?([A-Za-z0-9.-]+):(?!\/\/)(.+)$/;
const userPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,60}$/;
const pathPattern = /^\/(?:[A-Za-z0-9._~+@-]+\/)*[A-Za-z0-9._~+@-]+\/?$/;

/**
 * Parses the address of a git remote. Only HTTPS and SSH can be cloned from elsewhere; for anything else, or text
 * that could mean something to git or a shell, it returns `undefined`.
 */
export function parseRepositoryUrl(remote: string): RepositoryUrl | undefined {
  const value = remote.trim();
  if (value.startsWith('-') || value.length > 1000 || /[\p{Cc}\p{Cf}\s]/u.test(value)) {
    return undefined;
  }
  try {
    const scp = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? null : scpLike.exec(value);
    return scp ? fromScp(scp) : fromUrl(new URL(value));
  } catch {
    return undefined;
  }
}

/**
 * Returns the HTTPS address of the same repository, which needs no key if it is public; only for hosts that serve
 * both alike.
 */
export function overHttps(address: RepositoryUrl): RepositoryUrl | undefined {
  const match = /^ssh:\/\/git@((?:github|gitlab)\.com|bitbucket\.org|codeberg\.org)(\/.+)$/.exec(address.url);
  return match
    ? { ...address, protocol: 'https', url: `https://${match[1] ?? ''}${match[2] ?? ''}` }
    : undefined;
}

function fromScp([, user, host, path = '']: RegExpExecArray): RepositoryUrl | undefined {
  // A URL can't express a path relative to the home folder, but on repository hosts both forms mean the same.
  return make('ssh', user, checkHost(host), undefined, path.startsWith('/') ? path : `/${path}`, false);
}

function fromUrl(url: URL): RepositoryUrl | undefined {
  const protocol = url.protocol === 'https:' ? 'https' : url.protocol === 'ssh:' ? 'ssh' : undefined;
  if (protocol === undefined) {
    return undefined;
  }
  const port = url.port === '' ? undefined : checkPort(Number(url.port));
  const host = checkHost(url.hostname);
  const hasToken = url.password !== '' || url.search !== '' || (protocol === 'https' && url.username !== '');
  const user = protocol === 'ssh' && url.username !== '' ? url.username : undefined;
  return make(protocol, user, host, port, url.pathname, hasToken);
}

function make(
  protocol: 'https' | 'ssh',
  user: string | undefined,
  host: string,
  port: number | undefined,
  path: string,
  hadSecret: boolean,
): RepositoryUrl | undefined {
  const name = /([^/]+?)(?:\.git)?\/?$/.exec(path)?.[1] ?? '';
  const parts = path.split('/');
  if (
    !pathPattern.test(path) ||
    parts.some((part) => part === '.' || part === '..' || part.startsWith('-')) ||
    !/^[A-Za-z0-9_][A-Za-z0-9._+-]{0,99}$/.test(name) ||
    (user !== undefined && !userPattern.test(user))
  ) {
    return undefined;
  }
  const who = user === undefined ? '' : `${user}@`;
  const where = port === undefined ? host : `${host}:${port}`;
  return { url: `${protocol}://${who}${where}${path}`, protocol, name, hadSecret };
}
