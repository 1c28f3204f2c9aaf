import { safeFileName } from '../../util/fileName';

/**
 * The scheme of template documents. It has letters only, or the editor ignores the JSON schema
 * (docs/rules.md#names-that-others-rely-on).
 */
const templateScheme = 'gpurental';

/** What a document of this scheme is. */
export type TemplateUri =
  | { readonly kind: 'own' | 'public' | 'theirs'; readonly id: number; readonly name: string }
  /** Not at the service yet; the token tells drafts apart. */
  | { readonly kind: 'draft'; readonly token: string; readonly name: string }
  /** A text made for looking at, such as the preview of a request. */
  | { readonly kind: 'preview'; readonly token: string; readonly name: string };

export interface UriParts {
  readonly scheme: string;
  readonly authority: string;
  /** Decoded, as the editor's own URI class gives it. */
  readonly path: string;
}

const authorities: Readonly<Record<TemplateUri['kind'], string>> = {
  own: 'templates',
  draft: 'templates',
  public: 'public',
  theirs: 'theirs',
  preview: 'preview',
};

/** The name of a template as the last segment of a path, and as that of a file. */
export function fileNameOf(name: string): string {
  return safeFileName(name.replace(/\.json$/i, ''), 'template');
}

/** Scheme, authority and decoded path of a document. */
export function templateUriParts(uri: TemplateUri): UriParts {
  const folder = 'id' in uri ? String(uri.id) : uri.kind === 'draft' ? `new-${uri.token}` : uri.token;
  return {
    scheme: templateScheme,
    authority: authorities[uri.kind],
    path: `/${folder}/${fileNameOf(uri.name)}.json`,
  };
}

/**
 * Reads a document's address; the last segment is only for people and may be stale. `undefined` for
 * anything that is no document of ours.
 */
export function parseTemplateUri(parts: UriParts): TemplateUri | undefined {
  const [empty, folder = '', file = '', ...rest] = parts.path.split('/');
  if (parts.scheme !== templateScheme || empty !== '' || rest.length > 0 || !/\.json$/i.test(file)) {
    return undefined;
  }
  const name = file.replace(/\.json$/i, '');
  if (parts.authority === 'preview') {
    return folder === '' ? undefined : { kind: 'preview', token: folder, name };
  }
  if (parts.authority === 'templates' && folder.startsWith('new-')) {
    return { kind: 'draft', token: folder.slice('new-'.length), name };
  }
  const id = /^[1-9]\d{0,15}$/.test(folder) ? Number(folder) : undefined;
  if (id === undefined || !Number.isSafeInteger(id)) {
    return undefined;
  }
  switch (parts.authority) {
    case 'templates':
      return { kind: 'own', id, name };
    case 'public':
      return { kind: 'public', id, name };
    case 'theirs':
      return { kind: 'theirs', id, name };
    default:
      return undefined;
  }
}

/** The template that a document is about. */
export function templateIdOf(uri: UriParts): number | undefined {
  const read = parseTemplateUri(uri);
  return read && 'id' in read ? read.id : undefined;
}
