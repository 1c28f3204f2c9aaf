import { plainLabel } from '../../util/plainLabel';
import { imageWithTag } from './templateMerge';

/** What lists and questions call a template, as plain text: its number where it has no name. */
export function templateName({
  id,
  name,
}: {
  readonly id: number;
  readonly name?: string | undefined;
}): string {
  return plainLabel(name ?? '').trim() || `#${id}`;
}

/** Its image with the tag, as plain text. */
export function templateImage({
  image,
  tag,
}: {
  readonly image: string;
  readonly tag?: string | undefined;
}): string {
  return plainLabel(imageWithTag(image, tag));
}
