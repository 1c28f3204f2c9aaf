import type { Services as CoreServices } from '../services';
import type { FolderMirrors } from './model/mirror';

/** What the features of this wing know. */
export type Services = CoreServices & { readonly mirrors: FolderMirrors };
