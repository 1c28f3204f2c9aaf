import { envObjectToFlags, readEnv } from '../model/documents/envObject';
import type { WireFiltersShape } from '../model/offers/filters';
import type { Template } from '../model/templates/template';
import { defined } from '../util/defined';
import { filterShape, template, templateAnswer, templateList, type WireTemplate } from '../wire/template';
import type { Client } from './client';
import { NotUnderstoodError } from './errors';
import type { Http } from './http';
import { readList } from './listing';
import { parsedText } from './modelValues';
import { read, sendWrite, write } from './request';

/** Searches, creates, edits and deletes templates (docs/service/templates.md#search). */
export function templatesApi(http: Http): Client['templates'] {
  return {
    search: (filters, options) => {
      const query = { select_filters: JSON.stringify(filters) };
      const request = { ...read('GET /api/v0/template/'), query };
      return readList(http, request, templateList, template, toTemplate, options);
    },
    create: async (fields, options) => {
      const request = {
        ...write('POST /api/v0/template/'),
        // The service requires these fields even when they are unused (docs/service/templates.md#create).
        body: { docker_login_repo: '', docker_login_user: '', docker_login_pass: '', ...fields },
      };
      const { template: created } = await http.call(request, templateAnswer, options);
      if (created.id === undefined) {
        throw new NotUnderstoodError({ route: request.route, isWrite: true, status: 200 });
      }
      return { id: created.id, hashId: created.hash_id };
    },
    edit: async (hashId, changes, options) => {
      const request = { ...write('PUT /api/v0/template/'), body: { ...changes, hash_id: hashId } };
      const answer = await http.call(request, templateAnswer, options);
      return { hashId: answer.template.hash_id };
    },
    remove: (id, options) =>
      sendWrite(http, { ...write('DELETE /api/v0/template/'), body: { template_id: id } }, options),
  };
}

/** `source` is the record as it was sent: fields that this client does not understand are kept in the document. */
export function toTemplate(wire: WireTemplate, source: unknown = wire): Template {
  return defined<Template>({
    id: wire.id,
    hashId: wire.hash_id,
    name: wire.name ?? '',
    image: wire.image ?? '',
    tag: wire.tag,
    desc: wire.desc,
    readme: wire.readme,
    env: envText(wire.env),
    onstart: wire.onstart,
    runtype: wire.runtype,
    argsStr: wire.args_str,
    sshDirect: wire.ssh_direct,
    useSsh: wire.use_ssh,
    jupDirect: wire.jup_direct,
    jupyterDir: wire.jupyter_dir,
    useJupyterLab: wire.use_jupyter_lab,
    dockerLoginRepo: wire.docker_login_repo,
    dockerLoginUser: wire.docker_login_user,
    href: wire.href,
    repo: wire.repo,
    extraFilters: filtersOf(wire.extra_filters),
    recommendedDiskGb: wire.recommended_disk_space,
    private: wire.private,
    volumeInfo: wire.volume_info,
    creatorId: wire.creator_id,
    createdAt: wire.created_at,
    recentCreateAt: wire.recent_create_date,
    createdCount: wire.count_created,
    recommended: wire.recommended,
    raw: isRecord(source) ? source : wire,
  });
}

function isRecord(value: unknown): value is Template['raw'] {
  return typeof value === 'object' && value !== null;
}

/** Returns the flag form of any form. */
function envText(value: WireTemplate['env']): string | undefined {
  if (typeof value === 'string') {
    return value;
  }
  const env = readEnv(value);
  return typeof env === 'object' ? envObjectToFlags(env) : env;
}

/**
 * Returns filters from an object or the JSON text of one, and `undefined` for anything else
 * (docs/service/templates.md#record).
 */
function filtersOf(value: unknown): WireFiltersShape | undefined {
  return filterShape.safeParse(parsedText(value)).data;
}
