import { isLoopback } from '../util/loopback';

/** The part of the environment that names proxies. */
export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

export interface ProxySettings {
  /** `http.proxy`; empty for none. */
  readonly proxy: string;
  /** `http.noProxy`; when empty, `NO_PROXY` counts. */
  readonly noProxy: readonly string[];
}

/**
 * Returns the proxy for a URL in the order of VS Code: loopback is direct, then the
 * list of exceptions, then the setting, then the environment. `undefined` means direct.
 */
export function proxyFor(url: URL, settings: ProxySettings, env: ProxyEnvironment): string | undefined {
  if (isLoopback(url.hostname) || isException(url, exceptions(settings, env))) {
    return undefined;
  }
  const named =
    nonEmpty(settings.proxy) ??
    nonEmpty(env['https_proxy']) ??
    nonEmpty(env['HTTPS_PROXY']) ??
    nonEmpty(env['http_proxy']) ??
    nonEmpty(env['HTTP_PROXY']);
  return named === undefined || /^[a-z][a-z0-9+.-]*:\/\//i.test(named) ? named : `http://${named}`;
}

function exceptions(settings: ProxySettings, env: ProxyEnvironment): readonly string[] {
  const listed = settings.noProxy.filter((entry) => entry.trim() !== '');
  return listed.length > 0
    ? listed
    : (nonEmpty(env['no_proxy']) ?? nonEmpty(env['NO_PROXY']) ?? '').split(',');
}

/** An entry matches the end of the host name at a dot, and the port where it names one; `*` matches all. */
function isException(url: URL, entries: readonly string[]): boolean {
  const port = url.port === '' ? (url.protocol === 'http:' ? '80' : '443') : url.port;
  return entries.some((entry) => {
    const [, name = '', entryPort] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry.trim().toLowerCase()) ?? [];
    if (name === '*') {
      return true;
    }
    const domain = name.startsWith('.') ? name : `.${name}`;
    return (
      name !== '' && `.${url.hostname}`.endsWith(domain) && (entryPort === undefined || entryPort === port)
    );
  });
}

function nonEmpty(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed === '' ? undefined : trimmed;
}
