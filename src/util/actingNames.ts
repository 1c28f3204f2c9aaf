/**
 * Folders on which git or an editor acts because of their names: what is in them names programs, which can run as soon as
 * the folder is found. The editors are those that the extension runs in.
 */
const folders = ['.git', '.vscode', '.cursor', '.kiro', '.windsurf'];

/** Characters that HFS+ ignores in a name (`next_hfs_char` in utf8.c of git). */
const ignored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** Names for a folder on NTFS: itself or its short name, with dots and spaces at the end or with a stream. */
const folderShape = shapeOf(folders.map((name) => `\\${name}|${name.slice(1, 7)}~\\d+`).join('|'));
/** Any folder with `HEAD`, `objects` and `refs` is a repository to git, and none is without `HEAD`. */
const headShape = shapeOf('HEAD');

function shapeOf(names: string): RegExp {
  return new RegExp(`^(?:${names})[. ]*(?:[:\\\\].*)?$`, 'isu');
}

/**
 * Returns the name up to its first part on which git or an editor acts, on any file system; `undefined` for a name
 * without such a part.
 */
export function actingPart(name: string, kind = 'file'): string | undefined {
  const parts = name.split('/');
  const at = parts.findIndex((part, index) => {
    const plain = part.normalize('NFKC').replace(ignored, '');
    const isFile = index === parts.length - 1 && kind !== 'folder';
    return folderShape.test(plain) || (isFile && headShape.test(plain));
  });
  return at < 0 ? undefined : parts.slice(0, at + 1).join('/');
}
