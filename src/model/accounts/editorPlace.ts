import { UserError } from '../../util/errors';
import { text, type Text } from '../../util/text';

/** Where this extension host runs, which decides whether keys may be read. */
export interface EditorPlace {
  /** True on the server side of a remote window, false on the user's computer. */
  readonly isWorkspaceExtension: boolean;
  readonly isBrowserEditor: boolean;
  readonly hasContainerKey: boolean;
}

/**
 * Thrown instead of reading the key on a rented machine, which belongs to a stranger
 * (docs/rules.md#where-the-extension-runs).
 */
export class WrongPlaceError extends UserError {}

/** Returns why no key may be read here, or undefined if it may. */
export function keyProblem(place: EditorPlace): Text | undefined {
  if (place.hasContainerKey) {
    return text(
      "GPU Rental can't read your key here, because this editor runs on a rented machine. Use it in a window on your own computer.",
    );
  }
  if (place.isWorkspaceExtension && !place.isBrowserEditor) {
    return text(
      "GPU Rental can't read your key here, because it is installed on the remote side of this window. Uninstall it there and install it on your own computer.",
    );
  }
  return undefined;
}
