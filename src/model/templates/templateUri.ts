import { safeFileName } from '../../util/fileName';

/**
 * The scheme of template documents. It has letters only, or the editor ignores the JSON schema
 * (docs/rules.md#names-that-others-rely-on).
 */
const templateScheme = 'gpurental';

/** What a document of this scheme shows. */
export type TemplateUri =
  | { readonly kind: 'own' | 'public' | 'theirs'; readonly id: number; readonly name: string }
  /** A template that the service does not have yet; the token distinguishes drafts. */
  | { readonly kind: 'draft'; readonly token: string; readonly name: string }
  /** A read-only text, such as the preview of a request. */
  | { readonly kind: 'preview'; readonly token: string; readonly name: string };

export interface UriParts {
  readonly scheme: string;
  readonly authority: string;
  /** The decoded path, as the editor's URI class returns it. */
  readonly path: string;
}

const authorities: Readonly<Record<TemplateUri['kind'], string>> = {
  own: 'templates',
  draft: 'templates',
  public: 'public',
  theirs: 'theirs',
  preview: 'preview',
};

/** Returns the last segment of a template's path, which is also its file name. */
export function fileNameOf(name: string): string {
  return safeFileName(name.replace(/\.json$/i, ''), 'template');
}

/** Returns the token of a draft. It names the account, even after the record of the draft is gone. */
export function draftTokenOf(accountKey: string, unique: string): string {
  return `${accountKey}_${unique}`;
}

/** Returns the account of a draft, if the token names one, and what distinguishes the draft from others. */
export function draftParts(token: string): {
  readonly accountKey: string | undefined;
  readonly unique: string;
} {
  const end = token.lastIndexOf('_');
  return { accountKey: end < 0 ? undefined : token.slice(0, end), unique: token.slice(end + 1) };
}

/** Returns scheme, authority and decoded path of a document. */
export function templateUriParts(uri: TemplateUri): UriParts {
  const folder = 'id' in uri ? String(uri.id) : uri.kind === 'draft' ? `new-${uri.token}` : uri.token;
  return {
    scheme: templateScheme,
    authority: authorities[uri.kind],
    path: `/${folder}/${fileNameOf(uri.name)}.json`,
  };
}

/**
 * Parses the address of a document. The last segment is only for display and may be outdated. Returns `undefined` for
 * an address that is not one of ours.
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

/** Returns the id of the document's template. */
export function templateIdOf(uri: UriParts): number | undefined {
  const read = parseTemplateUri(uri);
  return read && 'id' in read ? read.id : undefined;
}
