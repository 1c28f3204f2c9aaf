import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder, repository } from './installed';

/** Parts of a profile that hold scripts of the editor and what the browser compiled them to; all else is a user's. */
const parts = ['Cache', 'Code Cache'];

/** A folder for the scripts of this editor, with our changes, as this browser with these flags compiled them. */
export function compiledScriptsFolder(program: string, flags: readonly string[]): string {
  const { size, mtimeMs } = statSync(program);
  const ours = ['host.json', 'hostPatches.mjs'].map((name) =>
    readFileSync(path.join(repository, 'scripts', name), 'utf8'),
  );
  const key = JSON.stringify([realpathSync(program), size, mtimeMs, flags, ...ours]);
  const hash = createHash('sha256').update(key).digest('hex');
  return path.join(cacheFolder(), `compiled-${hash.slice(0, 16)}`);
}

/** Copies what was compiled from one profile into another. */
export function copyCompiledScripts(from: string, to: string): void {
  for (const part of parts) {
    const name = path.join('Default', part);
    if (existsSync(path.join(from, name))) {
      cpSync(path.join(from, name), path.join(to, name), { recursive: true });
    }
  }
}

/** How many scripts as large as that of the whole editor a profile holds, compiled. */
export function compiledEditors(profile: string): number {
  const folder = path.join(profile, 'Default', 'Code Cache', 'js');
  if (!existsSync(folder)) {
    return 0;
  }
  return readdirSync(folder).filter((name) => {
    const file = statSync(path.join(folder, name), { throwIfNoEntry: false });
    return file !== undefined && file.size > 5_000_000;
  }).length;
}
