import type { WireRentRequest } from '../../wire/instance';
import { envText, isReadableEnv, readableEnv, readEnv, type EnvObject } from '../documents/envObject';
import type { Runtype } from '../rentals/rent';
import { isPlainObject, readFilters } from './templateDocument';

/** The body of a rental in the service's form (docs/service/renting.md#request). */
export type RentBody = Readonly<Record<string, unknown>>;
type Raw = Readonly<Record<string, unknown>>;

/** Fields of a template that a request may override (docs/service/renting.md#template-merge). */
const scalars = [
  'image',
  'runtype',
  'onstart',
  'args_str',
  'use_jupyter_lab',
  'jupyter_dir',
  'label',
  'price',
  'target_state',
  'python_utf8',
  'lang_utf8',
  'cancel_unavail',
  'vm',
] as const satisfies readonly (keyof WireRentRequest)[];

function objectOf(env: EnvObject | string | undefined): EnvObject {
  return typeof env === 'string' ? readableEnv(env) : (env ?? {});
}

/** Returns the merged environment, as flag text if a part can't be read: the service decides about that part. */
function mergeEnv(template: unknown, request: unknown): EnvObject | string {
  const [base, own] = [readEnv(template), readEnv(request)];
  return isReadableEnv(base) && isReadableEnv(own)
    ? { ...objectOf(base), ...objectOf(own) }
    : `${envText(base)} ${envText(own)}`.trim();
}

/** Returns `image:tag`, or the image alone if it names a tag or digest itself. */
export function imageWithTag(image: string, tag: string | undefined): string {
  return hasTag(image) || !tag ? image : `${image}:${tag}`;
}

/** Returns whether an image names a tag or digest. The port of a registry is neither. */
export function hasTag(image: string): boolean {
  const last = image.slice(image.lastIndexOf('/') + 1);
  return last.includes(':') || last.includes('@');
}

/** Returns the run type of a rental that corresponds to the three fields of a template. */
export function recordRuntype(raw: Raw): string {
  const runtype = typeof raw['runtype'] === 'string' && raw['runtype'] !== '' ? raw['runtype'] : 'args';
  if (runtype === 'ssh') {
    return raw['ssh_direct'] === true ? 'ssh_direct' : 'ssh_proxy';
  }
  if (runtype === 'jupyter') {
    return raw['jup_direct'] === true ? 'jupyter_direct' : 'jupyter_proxy';
  }
  return runtype;
}

/**
 * Returns what an instance gets from a template and a request (docs/service/renting.md#template-merge). This
 * is a preview; the service decides.
 */
export function mergeTemplate(template: Raw, request: RentBody): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  const image = typeof template['image'] === 'string' ? template['image'] : '';
  const tag = typeof template['tag'] === 'string' ? template['tag'] : undefined;
  const base: Raw = {
    ...template,
    ...(image === '' ? {} : { image: imageWithTag(image, tag) }),
    runtype: recordRuntype(template),
  };
  for (const name of scalars) {
    const value = request[name] ?? base[name];
    if (value !== undefined && value !== null && value !== '') {
      merged[name] = value;
    }
  }
  merged['disk'] = request['disk'] ?? 8;
  const env = mergeEnv(template['env'], request['env']);
  if (Object.keys(env).length > 0) {
    merged['env'] = env;
  }
  const filters = { ...readFilters(template['extra_filters']), ...readFilters(request['extra_filters']) };
  if (Object.keys(filters).length > 0) {
    merged['extra_filters'] = filters;
  }
  const registry = template['docker_login_repo'];
  if (typeof request['image_login'] === 'string') {
    merged['image_login'] = '(from the request)';
  } else if (typeof registry === 'string' && registry !== '') {
    merged['image_login'] = `(the template's credentials for ${registry})`;
  }
  if (isPlainObject(request['volume_info'])) {
    merged['volume_info'] = request['volume_info'];
  }
  return merged;
}

/** Returns environment and ports of a recipe as the object that a rental accepts. The last value of a name wins. */
export function rentEnv(env: unknown, ports: readonly string[] = []): EnvObject {
  return {
    ...objectOf(readEnv(env)),
    ...Object.fromEntries(ports.map((mapping) => [`-p ${mapping}`, '1'])),
  };
}

/** Returns the request for a rental from a template: its recommended disk, everything else from the template. */
export function templateRequest(template: Raw, hashId: string | undefined): RentBody {
  const disk = Number(template['recommended_disk_space'] ?? 8);
  return {
    template_hash_id: hashId ?? '(known once it is saved)',
    disk: Number.isFinite(disk) ? disk : 8,
    cancel_unavail: true,
  } satisfies WireRentRequest;
}

/**
 * Returns the request for a rental from a workspace file. The disk is that of the file, the template or the default.
 */
export function recipeRequest(
  recipe: {
    readonly image?: string;
    readonly diskGb?: number;
    readonly env: Readonly<Record<string, string>>;
    readonly onStart?: string;
    readonly runtype?: Runtype;
  },
  template: Raw | undefined,
  hashId: string | undefined,
): RentBody {
  const recommended = template && Number(template['recommended_disk_space']);
  const base = template
    ? { template_hash_id: hashId ?? '' }
    : { image: recipe.image ?? '', runtype: 'ssh_direct' };
  return {
    ...base,
    disk: recipe.diskGb ?? (recommended !== undefined && Number.isFinite(recommended) ? recommended : 8),
    ...(Object.keys(recipe.env).length > 0 ? { env: recipe.env } : {}),
    ...(recipe.onStart === undefined ? {} : { onstart: recipe.onStart }),
    ...(recipe.runtype === undefined ? {} : { runtype: recipe.runtype }),
    cancel_unavail: true,
  } satisfies WireRentRequest;
}
