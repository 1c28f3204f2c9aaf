import type { ZipEntry } from './zip';

/**
 * The code that is read as soon as `start` is: the file and every chunk that it asks for at once, not those behind an
 * `import()`.
 */
export function codeRead(entries: readonly ZipEntry[], start: string): string[] {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const seen = new Set<string>();
  const read = (name: string): string[] => {
    const entry = byName.get(`extension/dist/${name}`);
    if (entry === undefined || seen.has(name)) {
      return [];
    }
    seen.add(name);
    const code = entry.read().toString('utf8');
    return [code, ...eagerChunks(code).flatMap(read)];
  };
  return read(start);
}

export function bytesRead(entries: readonly ZipEntry[], start: string): number {
  return codeRead(entries, start).reduce((sum, code) => sum + Buffer.byteLength(code), 0);
}

/** The chunk that `start` reads on first use: the first one behind an `import()`. */
export function lazyChunks(code: string): string[] {
  return [...code.matchAll(/\.then\(\(\)\s*=>[^;,]*?require\("\.\/([\w.-]+)"\)/g)].map(
    ([, file]) => file ?? '',
  );
}

function eagerChunks(code: string): string[] {
  const lazy = lazyChunks(code);
  return [...code.matchAll(/require\("\.\/([\w.-]+)"\)/g)]
    .map(([, file]) => file ?? '')
    .filter((file) => !lazy.includes(file));
}
