import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { matcher } from '../../model/workspace/sentNames';
import { hashOfFile } from '../../ssh/localFiles';
import { realPlace } from '../../util/realPlace';
import type { JobSpec } from '../model/jobSpec';
import { namedFiles } from '../model/namedFiles';

/** Tools whose environment belongs to the folder of the project, and what refers to this folder from elsewhere. */
const bound = /\b(?:uv\s+(?:sync|run)|poetry|pdm|pipenv|hatch|rye|pixi|develop|pwd)\b|GPU_RENTAL_/i;
/** A line of requirements, or of a list of them, that refers to a folder. */
const editable = /^[ \t-]*(?:-e|--editable)[\s=]/m;

const usualInputs = ['/requirements*.txt', '/pyproject.toml', '/uv.lock', '/poetry.lock', '/environment.yml'];

/**
 * Returns a key for a finished setup on the machine. Another script, image or input is another setup, which runs
 * again; only sent files can change the key. Returns `undefined` without a setup, and for one that refers to the folder
 * of its job: the next job has another folder.
 */
export async function setupKey(
  { setup, setupInputs, workdir }: Pick<JobSpec, 'setup' | 'setupInputs' | 'workdir'>,
  workspace: string,
  sentNames: readonly string[],
  image: string | undefined,
): Promise<string | undefined> {
  if (setup === undefined) {
    return undefined;
  }
  const path = join(workspace, ...workdir.split('/'));
  const root = await realPlace({ path, root: { opened: workspace } });
  if (await isBound(setup, root, sentNames)) {
    return undefined;
  }
  const rules = matcher(setupInputs ?? usualInputs);
  const named = new Set(setupInputs ? [] : namedFiles(setup));
  const folders = setupInputs ? [] : installedFolders(setup);
  const isInput = (name: string) =>
    named.has(name) || rules.ignores(name) || folders.some((folder) => name.startsWith(folder));
  const inputs = sentNames.filter(isInput).sort();
  const hashes: string[] = [];
  for (const name of inputs) {
    // A file that disappeared is not sent either.
    hashes.push(
      name,
      await pathIn(root, name)
        .then(hashOfFile)
        .catch(() => ''),
    );
  }
  return createHash('sha256')
    .update([setup, image ?? '', ...hashes].join('\0'))
    .digest('hex');
}

/** Returns where a file of the folder is, through a link that stays in it. */
function pathIn(root: string, name: string): Promise<string> {
  return realPlace({ path: join(root, ...name.split('/')), root: { chosen: root } });
}

async function isBound(setup: string, root: string, sentNames: readonly string[]): Promise<boolean> {
  const script = setup.replaceAll('\\\n', ' ');
  if (isBoundScript(script)) {
    return true;
  }
  const named = new Set(namedFiles(setup));
  const usual = matcher(usualInputs);
  for (const name of sentNames.filter((one) => named.has(one) || usual.ignores(one))) {
    const isScript = /\.(?:ba)?sh$/.test(name);
    if (isScript || /\.(?:txt|in|ya?ml)$/.test(name)) {
      const content = await pathIn(root, name)
        .then((path) => readFile(path, 'utf8'))
        .catch(() => '');
      if (editable.test(content) || (isScript && isBoundScript(content.replaceAll('\\\n', ' ')))) {
        return true;
      }
    }
  }
  return false;
}

/** Returns whether a script uses such a tool, or installs a folder that it goes on to read. */
function isBoundScript(script: string): boolean {
  const isEditable = (command: string) => {
    const at = command.search(/\binstall\b/i);
    return at >= 0 && /\s(?:-\w*e|--editable)\b/i.test(command.slice(at));
  };
  return bound.test(script) || script.split(/[\n;&|]/).some(isEditable);
}

/** Returns `pkg` for `pkg[extra]`. */
function withoutExtras(word: string): string {
  return word.endsWith(']') && word.includes('[') ? word.slice(0, word.indexOf('[')) : word;
}

/** Returns how the names of files begin that are in a folder to install; `` for all files. */
function installedFolders(setup: string): readonly string[] {
  const words = [...setup.replaceAll('\\\n', ' ').matchAll(/\binstall\b([^\n;&|]*)/g)].flatMap(
    ([, rest = '']) => rest.split(/\s+/),
  );
  return words
    .map((word) => withoutExtras(word.replace(/["']/g, '')))
    .filter((word) => word !== '' && !/^[/~-]/.test(word))
    .map((word) => word.split('/').filter((part) => part !== '' && part !== '.'))
    .map((parts) => parts.map((part) => `${part}/`).join(''));
}
