import { readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';

/** One file of an archive. */
export interface ZipEntry {
  readonly name: string;
  /** Bytes that it takes in the archive. */
  readonly packedBytes: number;
  read(): Buffer;
}

/** Lists a zip file by its directory at the end (no comment longer than 64 KB, no zip64). */
export function readZip(file: string): ZipEntry[] {
  const data = readFileSync(file);
  const end = data.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0) {
    throw new Error(`${file} is not a zip file`);
  }
  const entries: ZipEntry[] = [];
  let at = data.readUInt32LE(end + 16);
  for (let rest = data.readUInt16LE(end + 10); rest > 0; rest--) {
    const method = data.readUInt16LE(at + 10);
    const packedBytes = data.readUInt32LE(at + 20);
    const nameLength = data.readUInt16LE(at + 28);
    const local = data.readUInt32LE(at + 42);
    entries.push({
      name: data.toString('utf8', at + 46, at + 46 + nameLength),
      packedBytes,
      read: () => {
        const start = local + 30 + data.readUInt16LE(local + 26) + data.readUInt16LE(local + 28);
        const packed = data.subarray(start, start + packedBytes);
        return method === 0 ? packed : inflateRawSync(packed);
      },
    });
    at += 46 + nameLength + data.readUInt16LE(at + 30) + data.readUInt16LE(at + 32);
  }
  return entries;
}
