import { plainLabel } from '../../util/plainLabel';
import { text, type Text } from '../../util/text';
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

/** Returns the note for a list that lacks templates; `undefined` if it lacks none. */
export function unreadTemplatesText(skipped = 0): Text | undefined {
  return skipped === 0
    ? undefined
    : text('Could not be read and are left out: {0}. The log names the field.', skipped);
}
