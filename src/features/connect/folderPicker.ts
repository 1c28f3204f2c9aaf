import { t } from '../../editor/localize';
import { pickFromList, type Row } from '../../editor/quickPick';
import { isRemotePath, type RemoteFolders } from '../../ssh/remoteFolders';
import { plainLabel } from '../../util/plainLabel';

/** Asks for the folder; a typed path is accepted too. Returns `clone` if the user chose that offer. */
export async function pickFolder(
  { home, folders }: RemoteFolders,
  recent: readonly string[],
  title: string,
  repository?: string,
): Promise<string | undefined> {
  const row = (path: string, description: string): Row<string> => ({
    id: path,
    label: plainLabel(path),
    description,
    value: path,
  });
  const others = folders.filter((path) => !recent.includes(path));
  const clone: Row<string> = {
    id: 'clone',
    icon: 'repo-clone',
    label: t('Clone {0}', plainLabel(repository ?? '')),
    description: t('the repository of this window'),
    value: 'clone',
  };
  const fixed = [
    ...recent.map((path) => row(path, t('opened before'))),
    ...(recent.includes(home) ? [] : [row(home, t('home folder'))]),
    ...others.map((path) => row(path, '')),
    ...(recent.includes('/') ? [] : [row('/', t('the whole machine'))]),
    ...(repository === undefined ? [] : [clone]),
  ];
  const answer = await pickFromList<string>({
    title,
    placeholder: t('Folder on the instance: pick one or type a path'),
    rows: (typed) => {
      const path = typed.trim();
      const known = fixed.some(({ value }) => value === path);
      return !known && isRemotePath(path) ? [row(path, t('as typed')), ...fixed] : fixed;
    },
  });
  return answer.kind === 'picked' ? answer.value : undefined;
}
