import type { Text } from '../../util/text';
import type { ReferenceSlot } from '../templates/templateReference';
import type { Span } from './envFlags';
import type { TextChange } from './jsonPlaces';

export type Severity = 'error' | 'warning' | 'information' | 'hint';

/** What a quick fix does: it changes the text, or needs the secret store or the service. */
export type FixAction =
  | { readonly kind: 'edit'; readonly changes: readonly TextChange[] }
  | { readonly kind: 'moveToSecrets'; readonly slot: ReferenceSlot; readonly path: readonly string[] }
  | { readonly kind: 'makeAccountSecret'; readonly name: string; readonly path: readonly string[] }
  | { readonly kind: 'enterSecret'; readonly reference: string }
  /** Stores a secret under another name and changes the document with it. */
  | { readonly kind: 'changeSecret'; readonly slot: ReferenceSlot };

export interface Fix {
  readonly title: Text;
  readonly action: FixAction;
  /** The fix that "Fix all" and the keyboard use. */
  readonly preferred?: boolean;
}

/** A remark on a document; `code` identifies the check. */
export interface Finding {
  readonly code: string;
  readonly severity: Severity;
  readonly span: Span;
  readonly message: Text;
  readonly fixes: readonly Fix[];
}
