/** `st_mode` of POSIX, as SFTP sends it. */
const typeBits = 0o170000;
const kinds: Readonly<Record<number, 'folder' | 'file' | 'link'>> = {
  [0o040000]: 'folder',
  [0o100000]: 'file',
  [0o120000]: 'link',
};

/** Sockets, devices and pipes are `other`: reading one may never end. */
export function remoteKind({ mode = 0 }: { readonly mode?: number }): 'folder' | 'file' | 'link' | 'other' {
  return kinds[mode & typeBits] ?? 'other';
}
