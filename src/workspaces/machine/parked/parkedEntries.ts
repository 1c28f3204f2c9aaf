import type { ParkedEntry } from '../../model/parkedSet';
import type { Listed } from './listing';

/** Returns what a set holds of listed names: the further names of a file as such, and no sockets, pipes and devices. */
export function parkedEntries(listed: readonly Listed[]): readonly ParkedEntry[] {
  const first = new Map<string, string>();
  return listed.flatMap(({ name, kind, mode, modified, changed, size, usedBytes, inode, links, target }) => {
    if (kind === 'special') {
      return [];
    }
    const facts = { name, mode, modified, changed, inode };
    const other = first.get(inode);
    if (other !== undefined) {
      return { ...facts, kind: 'hardLink', size: 0, usedBytes: 0, target: other };
    }
    if (links > 1) {
      first.set(inode, name);
    }
    return {
      ...facts,
      kind: kind as ParkedEntry['kind'],
      size,
      usedBytes,
      ...(kind === 'link' ? { target } : {}),
    };
  });
}

/** Tokens of Hugging Face, wherever its programs keep them. */
const secrets = /\/(?:\.hf_home|\.cache\/huggingface|\.huggingface)\/(?:token|stored_tokens)$/;

/** Returns the names below a folder that no set may hold. */
export function tokenNames(root: string, entries: readonly Pick<Listed, 'name'>[]): readonly string[] {
  return entries.flatMap(({ name }) => (secrets.test(`${root}/${name}`) ? [name] : []));
}
