import { BodyReader, isObject } from '../body';
import type { RentTemplate } from '../ports';
import { callerOf, ok, route, ServiceError, type Route, type SimRequest } from '../route';
import type { World } from '../world';
import { templateColumns, templateFilter } from './templateSearch';
import { seedTemplates } from './templateSeeds';
import {
  addTemplate,
  defaultFields,
  hashOf,
  shownTemplate,
  visibleTo,
  type TemplateFields,
  type TemplateRecord,
  type TemplateState,
} from './templateState';

const reads = { permission: 'user_read', endpoint: 'api.templates' } as const;
const writes = { permission: 'user_write', endpoint: 'api.templates' } as const;

/** Searches and changes templates (docs/service/templates.md#search). */
export function templateRoutes(world: World): Route[] {
  const state = world.section<TemplateState>('templates', () => ({ templates: [], seeded: [] }));
  seedTemplates(world, state);
  world.ports.templates = {
    byHash: (hashId, accountId) => {
      const record = state.templates.find((each) => each.hash_id === hashId);
      return record && visibleTo(record, accountId) ? forRent(record) : undefined;
    },
    rented: (templateId) => {
      const record = state.templates.find((each) => each.id === templateId);
      if (record) {
        record.count_created += 1;
        record.recent_create_date = world.now();
        world.changed();
      }
    },
  };
  return [
    // Own and public templates are two searches, and a client makes them together.
    route('GET /api/v0/template/', { ...reads, everySeconds: 3, burst: 2 }, (request) =>
      search(world, state, request),
    ),
    route('POST /api/v0/template/', writes, (request) => create(world, state, request)),
    route('PUT /api/v0/template/', writes, (request) => edit(world, state, request)),
    route('DELETE /api/v0/template/', writes, (request) => remove(world, state, request)),
  ];
}

function search(world: World, state: TemplateState, request: SimRequest) {
  const { accountId } = callerOf(request);
  const matches = templateFilter(request.query.get('select_filters'));
  const columns = templateColumns(request.query.get('select_cols'));
  const found = state.templates.filter((record) => visibleTo(record, accountId) && matches(record));
  const templates = found.map((record) => columns(shownTemplate(world, record, accountId)));
  return ok({ success: true, templates_found: templates.length, templates });
}

function create(world: World, state: TemplateState, request: SimRequest) {
  const { accountId } = callerOf(request);
  const body = BodyReader.of(request.body);
  const fields = { ...defaultFields, ...readFields(body) };
  for (const name of ['name', 'image'] as const) {
    if (fields[name].trim() === '') {
      throw new ServiceError(400, 'invalid_args', `${name} is required.`);
    }
  }
  // The docker_login fields are required. The public command-line client leaves two of them out and sends
  // null for the third, so they count as empty here (docs/service/templates.md#create).
  const record = addTemplate(world, state, accountId, fields);
  world.changed();
  return ok({
    success: true,
    msg: `Template Created Successfully! New Template ID: ${record.id}`,
    template: shownTemplate(world, record, accountId),
  });
}

/** Only the current hash allows an edit: a client with an older one has not seen the last change. */
function edit(world: World, state: TemplateState, request: SimRequest) {
  const { accountId } = callerOf(request);
  const body = BodyReader.of(request.body);
  const hash = body.text('hash_id');
  if (hash === undefined || hash === '') {
    throw new ServiceError(400, 'invalid_args', 'hash_id is required.');
  }
  const record = state.templates.find((each) => each.hash_id === hash && visibleTo(each, accountId));
  if (!record) {
    throw new ServiceError(404, 'not_found', 'There is no template with this hash_id.');
  }
  assertOwn(record, accountId);
  const fields = { ...record.fields, ...readFields(body) };
  if (fields.name.trim() === '' || fields.image.trim() === '') {
    throw new ServiceError(400, 'invalid_args', 'name and image cannot be empty.');
  }
  record.fields = fields;
  record.revision += 1;
  record.hash_id = hashOf(record.id, record.revision, fields);
  world.changed();
  return ok({ success: true, template: shownTemplate(world, record, accountId) });
}

function remove(world: World, state: TemplateState, request: SimRequest) {
  const { accountId } = callerOf(request);
  const body = BodyReader.of(request.body);
  const id = body.integer('template_id');
  const hash = body.text('hash_id');
  if (id === undefined && hash === undefined) {
    throw new ServiceError(400, 'invalid_args', 'template_id is required.');
  }
  const record = state.templates.find((each) => (id === undefined ? each.hash_id === hash : each.id === id));
  if (!record || !visibleTo(record, accountId)) {
    throw new ServiceError(404, 'not_found', 'There is no such template.');
  }
  assertOwn(record, accountId);
  state.templates = state.templates.filter((each) => each !== record);
  world.changed();
  return ok({ success: true, msg: 'Template deleted.' });
}

function assertOwn(record: TemplateRecord, accountId: number): void {
  if (record.creator_id !== accountId) {
    throw new ServiceError(403, 'not_authorized', 'This template belongs to somebody else.');
  }
}

const texts = [
  'name',
  'image',
  'tag',
  'desc',
  'readme',
  'env',
  'onstart',
  'args_str',
  'docker_login_repo',
  'docker_login_user',
  'docker_login_pass',
  'href',
  'repo',
] as const;
const flags = [
  'ssh_direct',
  'use_ssh',
  'jup_direct',
  'use_jupyter_lab',
  'private',
  'readme_visible',
] as const;
const runtypes = ['ssh', 'jupyter', 'args'];

/** The fields that a request carries; an explicit null leaves a field as it is, except where null is a value. */
function readFields(body: BodyReader): Partial<TemplateFields> {
  const fields: Partial<TemplateFields> = {};
  for (const name of texts) {
    const value = body.text(name);
    if (value !== undefined) {
      fields[name] = value;
    }
  }
  for (const name of flags) {
    const value = body.flag(name);
    if (value !== undefined) {
      fields[name] = value;
    }
  }
  const runtype = body.text('runtype');
  if (runtype !== undefined) {
    if (!runtypes.includes(runtype)) {
      throw new ServiceError(400, 'invalid_args', `runtype must be one of ${runtypes.join(', ')}.`);
    }
    fields.runtype = runtype;
  }
  const disk = body.number('recommended_disk_space');
  if (disk !== undefined) {
    if (disk <= 0) {
      throw new ServiceError(400, 'invalid_args', 'recommended_disk_space must be above 0.');
    }
    fields.recommended_disk_space = disk;
  }
  if (body.fields['jupyter_dir'] !== undefined) {
    fields.jupyter_dir = body.text('jupyter_dir') ?? null;
  }
  if (body.fields['volume_info'] !== undefined) {
    const volume = body.object('volume_info');
    fields.volume_info = volume ? { ...volume } : null;
  }
  if (body.has('extra_filters')) {
    fields.extra_filters = readFilters(body.fields['extra_filters']);
  }
  return fields;
}

/** Filters are an object or the JSON text of one (docs/service/templates.md#record). */
function readFilters(value: unknown): Record<string, unknown> {
  let read = value;
  if (typeof value === 'string') {
    try {
      read = value.trim() === '' ? {} : (JSON.parse(value) as unknown);
    } catch {
      throw new ServiceError(400, 'invalid_args', 'extra_filters is not valid JSON.');
    }
  }
  if (!isObject(read)) {
    throw new ServiceError(400, 'invalid_args', 'extra_filters must be an object.');
  }
  return { ...read };
}

function forRent(record: TemplateRecord): RentTemplate {
  const { fields } = record;
  return {
    id: record.id,
    hashId: record.hash_id,
    name: fields.name,
    image: fields.image,
    tag: fields.tag,
    env: fields.env,
    onstart: fields.onstart,
    runtype: fields.runtype,
    argsStr: fields.args_str,
    sshDirect: fields.ssh_direct,
    useSsh: fields.use_ssh,
    jupDirect: fields.jup_direct,
    useJupyterLab: fields.use_jupyter_lab,
    ...(fields.jupyter_dir !== null && { jupyterDir: fields.jupyter_dir }),
    dockerLoginRepo: fields.docker_login_repo,
    dockerLoginUser: fields.docker_login_user,
    dockerLoginPass: fields.docker_login_pass,
    extraFilters: fields.extra_filters,
    recommendedDiskSpace: fields.recommended_disk_space,
  };
}
