import { defined } from '../../util/defined';
import type { RentConfig } from '../rentals/rent';

/** The source for a new container of an instance. The machine and its price stay. */
export type ImageChange =
  { readonly kind: 'image'; readonly image: string } | { readonly kind: 'template'; readonly hash: string };

/** Returns the configuration of a rental with the image or template that its container has now. */
export function withImage(config: RentConfig, change: ImageChange): RentConfig {
  return defined<RentConfig>({
    ...config,
    image: change.kind === 'image' ? change.image : undefined,
    templateHash: change.kind === 'template' ? change.hash : undefined,
    templateId: undefined,
  });
}
