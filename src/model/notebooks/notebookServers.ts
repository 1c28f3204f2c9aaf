/** Local ports of tunnels lie below those that Linux gives to outgoing connections. */
const firstPort = 30_100;
const portCount = 2_500;

/**
 * The local port of an instance's tunnel: the same in each session, because Jupyter connects to the same address
 * after a cut.
 */
export function tunnelPortOf(alias: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(alias, 'utf8')) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return firstPort + (hash % portCount);
}

/** The folder of the machine in which kernels start, named like the local one as far as that is a plain name. */
export function kernelFolder(localName: string | undefined): string {
  const plain = (localName ?? '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 64);
  return plain === '' ? 'notebooks' : plain;
}
