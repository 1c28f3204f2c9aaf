import path from 'node:path';

/** Returns the pages and headings that a file cites, as the path of a page and a `#` with the heading. */
export function citationsOf(file: string, text: string): readonly string[] {
  const isPage = file.endsWith('.md');
  return isPage ? linksOf(file, text) : (text.match(/\bdocs\/[\w/-]+\.md(?:#[\w-]+)?/g) ?? []);
}

/** Returns the links of a Markdown file that lead into docs/, resolved against its folder. */
function linksOf(file: string, text: string): readonly string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [page = '', heading] = target.split('#');
      const resolved = page === '' ? file : path.posix.join(path.posix.dirname(file), page);
      return heading === undefined ? resolved : `${resolved}#${heading}`;
    })
    .filter((target) => /^docs\/.*\.md(?:#|$)/.test(target));
}

/** Returns the files and folders that a page links or names in code, from the root or, in a wing, from there. */
export function placesOf(page: string, text: string): readonly string[] {
  const fromHere = (place: string) => path.posix.join(path.posix.dirname(page), place);
  const links = [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
  const inCode = [...text.matchAll(/`((?:[\w.-]+\/)+[\w.-]*)`/g)].map(([, place = '']) => place);
  const isInWing = (place: string) =>
    page.startsWith('src/') && /^(?:model|store|machine|ui|mcp)\//.test(place);
  return [
    ...links.filter((target) => !/^\w+:/.test(target)).map(fromHere),
    ...inCode.filter((place) => /^(?:src|test|docs|scripts|l10n)\//.test(place)),
    ...inCode.filter(isInWing).map(fromHere),
  ];
}

/** Returns the anchors of a page's headings, made as GitHub makes them. */
export function headingsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const outsideOfCode = text.replace(/^```[\s\S]*?^```/gm, '');
  for (const [, title = ''] of outsideOfCode.matchAll(/^#{1,6} (.*)$/gm)) {
    const slug = title
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) {
      anchor = `${slug}-${count}`;
    }
    anchors.add(anchor);
  }
  return anchors;
}

// "interface:" is also a member's name in code, so it counts only before a title, as in a citation.
const oldForms =
  /\binterface: (?:[A-Z0-9]|for\b|left\b|present\b|not\b|without\b|the\b|execute\b|authorize|complete)|\bservice-facts\b|\bproduct: (?:rule|[A-Z])|\b[Qq]uirks? \d|\b[Jj]ourneys? \d|\bRule \d|\banchors(?: \d|: [A-Z])/;

/** Returns the lines that cite a document outside the repository. */
export function oldCitationsOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => oldForms.test(line));
}
