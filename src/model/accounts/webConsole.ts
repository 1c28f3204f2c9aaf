/** Pages of a service's own console, by what is settled there. */
export const consolePages = { credit: 'billing', user: 'account', apiKeys: 'manage-keys' } as const;
export type ConsolePage = (typeof consolePages)[keyof typeof consolePages];

/** The page at the service's own host, by https alone; no key, name or path of the address goes into it. */
export function consoleAddress(serviceUrl: string, page: ConsolePage): string | undefined {
  const url = URL.canParse(serviceUrl) ? new URL(serviceUrl) : undefined;
  return url?.protocol === 'https:' ? `https://${url.host}/${page}/` : undefined;
}
