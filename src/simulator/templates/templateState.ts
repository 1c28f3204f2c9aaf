import { createHash } from 'node:crypto';
import type { World } from '../world';

/**
 * A stored template in the service's own names (docs/service/templates.md#record). Times are Unix seconds.
 */
export interface TemplateRecord {
  id: number;
  /** From content, id and number of edits, so that every edit changes it. */
  hash_id: string;
  revision: number;
  creator_id: number;
  created_at: number;
  count_created: number;
  recent_create_date: number;
  recommended: boolean;
  fields: TemplateFields;
}

export interface TemplateFields {
  name: string;
  image: string;
  tag: string;
  desc: string;
  readme: string;
  env: string;
  onstart: string;
  runtype: string;
  args_str: string;
  ssh_direct: boolean;
  use_ssh: boolean;
  jup_direct: boolean;
  jupyter_dir: string | null;
  use_jupyter_lab: boolean;
  docker_login_repo: string;
  docker_login_user: string;
  /** Never in an answer. */
  docker_login_pass: string;
  href: string;
  repo: string;
  extra_filters: Record<string, unknown>;
  recommended_disk_space: number;
  private: boolean;
  readme_visible: boolean;
  volume_info: Record<string, unknown> | null;
}

export interface TemplateState {
  templates: TemplateRecord[];
  /** Which accounts were given their first templates. */
  seeded: number[];
}

/** See docs/service/templates.md#record. */
export const defaultFields: TemplateFields = {
  name: '',
  image: '',
  tag: 'latest',
  desc: '',
  readme: '',
  env: '',
  onstart: '',
  runtype: 'args',
  args_str: '',
  ssh_direct: false,
  use_ssh: false,
  jup_direct: false,
  jupyter_dir: null,
  use_jupyter_lab: false,
  docker_login_repo: '',
  docker_login_user: '',
  docker_login_pass: '',
  href: '',
  repo: '',
  extra_filters: {},
  recommended_disk_space: 8,
  private: true,
  readme_visible: true,
  volume_info: null,
};

export function hashOf(id: number, revision: number, fields: TemplateFields): string {
  return createHash('sha256')
    .update(JSON.stringify([id, revision, fields]))
    .digest('hex')
    .slice(0, 32);
}

export function addTemplate(
  world: World,
  state: TemplateState,
  creatorId: number,
  fields: TemplateFields,
  more: Partial<Pick<TemplateRecord, 'recommended' | 'count_created' | 'created_at'>> = {},
): TemplateRecord {
  const id = world.nextId('template', 215_001);
  const record: TemplateRecord = {
    id,
    hash_id: hashOf(id, 0, fields),
    revision: 0,
    creator_id: creatorId,
    created_at: world.now(),
    count_created: 0,
    recent_create_date: 0,
    recommended: false,
    fields,
    ...more,
  };
  state.templates.push(record);
  return record;
}

/** A template in answers. The password of a registry is never in it, its user name only for the owner. */
export function shownTemplate(
  world: World,
  record: TemplateRecord,
  accountId: number,
): Record<string, unknown> {
  const { readme_visible, ...fields } = record.fields;
  const documented: Record<string, unknown> = { id: record.id, hash_id: record.hash_id, ...fields };
  delete documented['docker_login_pass'];
  if (record.creator_id !== accountId) {
    delete documented['docker_login_user'];
  }
  return world.options.minimalRecords
    ? documented
    : {
        ...documented,
        readme_visible,
        creator_id: record.creator_id,
        created_at: record.created_at,
        count_created: record.count_created,
        default_tag: fields.tag,
        recent_create_date: record.recent_create_date,
        recommended: record.recommended,
      };
}

/** Returns whether an account may see a template: its own ones, and those that others do not keep private. */
export function visibleTo(record: TemplateRecord, accountId: number): boolean {
  return record.creator_id === accountId || !record.fields.private;
}
