import * as z from 'zod';
import { flags, id, listUnder, numbers, rawTexts, texts } from './field';

/** `extra_filters` may be an object or a JSON text (docs/service/templates.md#record). */
export const template = z.looseObject({
  id,
  hash_id: z.string().min(1),
  ...rawTexts('name', 'image', 'tag', 'desc', 'readme', 'href', 'repo'),
  // Templates have flag text; objects and pairs occur in other records
  // (docs/service/templates.md#environment).
  env: z
    .union([z.string(), z.array(z.unknown()), z.record(z.string(), z.unknown())])
    .nullish()
    .catch(undefined),
  ...texts('runtype', 'default_tag'),
  ...rawTexts('onstart', 'args_str', 'docker_login_repo', 'docker_login_user'),
  ...flags('ssh_direct', 'use_ssh', 'jup_direct', 'use_jupyter_lab', 'private', 'recommended'),
  jupyter_dir: z.string().nullish().catch(undefined),
  extra_filters: z.unknown().optional(),
  volume_info: z.unknown().optional(),
  ...numbers('recommended_disk_space', 'creator_id', 'created_at', 'count_created', 'recent_create_date'),
});
export type WireTemplate = z.infer<typeof template>;

/** What templates have, in the service's names; the password is only ever sent. */
export type TemplateRecordField = keyof typeof template.shape | 'docker_login_pass' | 'readme_visible';

export const templateList = listUnder('templates');

/** Answer of POST and PUT; only `id` and `hash_id` are promised. */
export const templateAnswer = z.looseObject({
  ...flags('success'),
  template: z.looseObject({ id: id.optional().catch(undefined), hash_id: z.string().min(1) }),
});

const filterOf = z.record(z.string(), z.unknown());

/** `extra_filters` once it is an object; `order`, `limit` and the like are among them and are no filters. */
export const filterShape = z.record(z.string(), z.unknown()).transform((filters) =>
  Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) => {
      const filter = filterOf.safeParse(value);
      return filter.success ? [[name, filter.data] as const] : [];
    }),
  ),
);
