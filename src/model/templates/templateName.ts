import { plainLabel } from '../../util/plainLabel';
import { imageWithTag } from './templateMerge';

/** Returns the name of a template as plain text, or its number if it has no name. */
export function templateName({
  id,
  name,
}: {
  readonly id: number;
  readonly name?: string | undefined;
}): string {
  return plainLabel(name ?? '').trim() || `#${id}`;
}

/** Returns the image of a template with its tag, as plain text. */
export function templateImage({
  image,
  tag,
}: {
  readonly image: string;
  readonly tag?: string | undefined;
}): string {
  return plainLabel(imageWithTag(image, tag));
}
