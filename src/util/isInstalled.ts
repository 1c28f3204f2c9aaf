import { constants } from 'node:fs';
import { access } from 'node:fs/promises';

/** Returns whether a program is in one of the folders that the system searches, by the names that it gives programs. */
export async function isInstalled(
  program: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  const isWindows = platform === 'win32';
  const separator = isWindows ? ';' : ':';
  const endings = isWindows ? (env['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').toLowerCase().split(separator) : [''];
  const folders = (env['PATH'] ?? '').split(separator).filter((folder) => folder !== '');
  const isThere = (path: string) =>
    access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
  const paths = folders.flatMap((folder) => endings.map((ending) => `${folder}/${program}${ending}`));
  return (await Promise.all(paths.map(isThere))).includes(true);
}
