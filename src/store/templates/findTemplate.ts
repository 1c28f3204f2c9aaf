import type { Client } from '../../api/client';
import type { RentConfig } from '../../model/rentals/rent';
import type { Template } from '../../model/templates/template';
import { UserError } from '../../util/errors';
import { text } from '../../util/text';

type TemplateOfRental = Pick<RentConfig, 'templateId' | 'templateHash'>;

/**
 * Reads the current template by its id, or by its hash if only that is known. Every edit changes the hash, so a
 * template known by its hash alone is not found after an edit. Returns `undefined` if there is none that the account
 * may see.
 */
export async function findTemplate(
  client: Client,
  { templateId: id, templateHash: hash }: TemplateOfRental,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Template | undefined> {
  const { items, skipped } = await client.templates.search(
    id === undefined ? { hash_id: { eq: hash } } : { id: { eq: id } },
    options,
  );
  const found = items.find((one) => (id === undefined ? one.hashId === hash : one.id === id));
  if (!found && skipped > 0) {
    // It may be the unreadable record, or be on a page that was not read.
    throw new UserError(text('Could not read the template. Try again in a moment.'), { nextStep: 'retry' });
  }
  return found;
}

/** Reads the current template: every edit changes the hash, and a rental needs the current one. */
export async function currentTemplate(client: Client, id: number): Promise<Template> {
  const found = await findTemplate(client, { templateId: id });
  if (!found) {
    throw new UserError(text('This template was deleted or made private by its owner. Choose another one.'));
  }
  return found;
}
