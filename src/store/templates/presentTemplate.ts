import type { Client } from '../../api/client';
import type { RentConfig } from '../../model/rentals/rent';
import type { Template } from '../../model/templates/template';

type TemplateOfRental = Pick<RentConfig, 'templateId' | 'templateHash'>;

/**
 * A template as it is at this moment, found by its id, or by its hash where that is all that is known. Every
 * edit changes the hash, so a template that is known by its hash alone is not found after one. `undefined`
 * where there is none, or none that the account may see.
 */
export async function presentTemplate(
  client: Client,
  { templateId: id, templateHash: hash }: TemplateOfRental,
  options: { readonly signal?: AbortSignal } = {},
): Promise<Template | undefined> {
  const { items } = await client.templates.search(
    id === undefined ? { hash_id: { eq: hash } } : { id: { eq: id } },
    options,
  );
  return items.find((one) => (id === undefined ? one.hashId === hash : one.id === id));
}
