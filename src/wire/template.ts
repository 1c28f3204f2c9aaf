import * as z from 'zod';
import { id, looseBoolean, looseNumber, looseString, rawString } from './field';

/** `extra_filters` may be an object or a JSON text (docs/service/templates.md#record). */
export const template = z.looseObject({
  id,
  hash_id: z.string().min(1),
  name: rawString,
  image: rawString,
  tag: rawString,
  desc: rawString,
  readme: rawString,
  // Templates have flag text; objects and pairs occur in other records
  // (docs/service/templates.md#environment).
  env: z
    .union([z.string(), z.array(z.unknown()), z.record(z.string(), z.unknown())])
    .nullish()
    .catch(undefined),
  onstart: rawString,
  runtype: looseString,
  args_str: rawString,
  ssh_direct: looseBoolean,
  use_ssh: looseBoolean,
  jup_direct: looseBoolean,
  jupyter_dir: z.string().nullish().catch(undefined),
  use_jupyter_lab: looseBoolean,
  docker_login_repo: rawString,
  docker_login_user: rawString,
  href: rawString,
  repo: rawString,
  extra_filters: z.unknown().optional(),
  recommended_disk_space: looseNumber,
  private: looseBoolean,
  volume_info: z.unknown().optional(),
  creator_id: looseNumber,
  created_at: looseNumber,
  count_created: looseNumber,
  default_tag: looseString,
  recent_create_date: looseNumber,
  recommended: looseBoolean,
});
export type WireTemplate = z.infer<typeof template>;

/** What templates have, in the service's names; the password is only ever sent. */
export type TemplateRecordField = keyof typeof template.shape | 'docker_login_pass' | 'readme_visible';

export const templateList = z.looseObject({ templates: z.array(z.unknown()) });
/** Answer of POST and PUT; only `id` and `hash_id` are promised. */
export const templateAnswer = z.looseObject({
  success: looseBoolean,
  template: z.looseObject({ id: id.optional(), hash_id: z.string().min(1) }),
});

/** `extra_filters` once it is an object. */
export const filterShape = z.record(z.string(), z.record(z.string(), z.unknown()));
