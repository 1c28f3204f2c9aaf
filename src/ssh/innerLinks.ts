import { posix } from 'node:path';
import { isInnerLink } from './fileTree';
import type { LocalFiles } from './localFiles';
import type { RemoteEntry } from './remoteTree';
import { reasons, type LeftOut } from './transfer';

/**
 * Creates the links with a known target. They are made last, so that nothing is
 * written through a link that a machine named.
 */
export async function makeInnerLinks(
  local: LocalFiles,
  entries: readonly RemoteEntry[],
  targets: ReadonlyMap<string, string>,
): Promise<readonly LeftOut[]> {
  const kinds = new Map(entries.map(({ name, kind }) => [name, kind]));
  const tree = {
    has: (name: string) => kinds.has(name),
    isFolder: (name: string) => kinds.get(name) === 'folder',
  };
  const leftOut: LeftOut[] = [];
  for (const { name } of entries.filter(({ kind }) => kind === 'link')) {
    const target = targets.get(name);
    if (target === undefined) {
      continue;
    }
    if (isInnerLink(name, target, tree) && (await local.isPlainFolder(posix.dirname(name)))) {
      await local.attempt(name, () => local.makeLink(name, target));
    } else {
      local.refused.set(name, reasons.outsideLink);
    }
    const why = local.refused.get(name);
    leftOut.push(...(why ? [{ name, why }] : []));
  }
  return leftOut;
}
