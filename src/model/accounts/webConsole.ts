/** Pages of the service's web console. */
export const consolePages = {
  credit: 'billing',
  user: 'account',
  apiKeys: 'manage-keys',
  instances: 'instances',
} as const;
export type ConsolePage = (typeof consolePages)[keyof typeof consolePages];

/**
 * Returns the address of a page on the service's own host, always with https. It contains no key, name or path of the
 * service address.
 */
export function consoleAddress(serviceUrl: string, page: ConsolePage): string | undefined {
  const url = URL.canParse(serviceUrl) ? new URL(serviceUrl) : undefined;
  return url?.protocol === 'https:' ? `https://${url.host}/${page}/` : undefined;
}
