/** Pages of the repository as the package holds them: without what only a repository can show. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** The pages of `docs` for users, which *Open Guide…* shows. */
export const guides = ['jobs', 'notebooks', 'tools', 'agents'];

/**
 * The page of an extension shows no file of the repository, neither by a link nor as a picture. The packager refuses those
 * that are left.
 */
export function withoutRepositoryParts(page) {
  return page.replace(/<!-- only in the repository -->[\s\S]*?(?:<!-- end -->\s*|$)/g, '');
}

/** Keeps links to other guides, and leaves out what decisions and other pages of the repository explain. */
export function asGuide(page) {
  const names = guides.join('|');
  const elsewhere = `\\((?!https:|(?:${names})\\.md\\))[^)]*\\)`;
  return withoutRepositoryParts(page)
    .replace(new RegExp(`\\s+\\(\\[[^\\]]*\\]${elsewhere}\\)`, 'g'), '')
    .replace(new RegExp(`\\[([^\\]]*)\\]${elsewhere}`, 'g'), '$1');
}

/** Writes the guides into a folder. */
export async function writeGuides(root, folder) {
  await mkdir(folder, { recursive: true });
  for (const name of guides) {
    const page = await readFile(path.join(root, 'docs', `${name}.md`), 'utf8');
    await writeFile(path.join(folder, `${name}.md`), asGuide(page));
  }
}
