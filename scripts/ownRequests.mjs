/**
 * Whose requests the server of the browser-hosted editor answers. It can run programs as the user, and any page in the
 * user's browser can reach a port of this computer, so it must come from a page of this server.
 */

/** Of this computer. Another name that leads here belongs to a page that renamed this computer after it was loaded. */
export function isForThisComputer({ host = '' }) {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return ['localhost', '127.0.0.1', '[::1]'].includes(name) || name.endsWith('.localhost');
}

/**
 * Browsers name the page that opens a socket; programs that are no browser name none, and no page can use them. A proxy
 * that forwards a port names the page's host in a header that no page can set.
 */
export function mayOpenSocket(headers) {
  const { host = '', origin, 'x-forwarded-host': forwarded } = headers;
  if (!isForThisComputer(headers)) return false;
  return origin === undefined || (URL.canParse(origin) && [host, forwarded].includes(new URL(origin).host));
}
