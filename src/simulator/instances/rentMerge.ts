import type { RentTemplate } from '../ports';
import type { Access } from '../state';
import { envFromFlags, type EnvDict } from './envFlags';
import { noAccess, parseRuntype } from './runtype';

/** The fields of PUT asks that a template can also give; absent and null are the same. */
export interface RentRequest {
  readonly image?: string;
  readonly disk?: number;
  readonly label?: string;
  readonly runtype?: string;
  readonly env?: EnvDict;
  readonly onstart?: string;
  readonly args?: readonly string[];
  readonly useJupyterLab?: boolean;
  readonly jupyterDir?: string;
  readonly imageLogin?: string;
  readonly extraFilters?: Readonly<Record<string, unknown>>;
}

export interface MergedRent {
  readonly image: string | undefined;
  readonly diskGb: number;
  readonly access: Access;
  readonly env: EnvDict;
  readonly onstart: string | null;
  readonly args: readonly string[];
  readonly jupyterLab: boolean;
  readonly jupyterDir: string | null;
  readonly imageLogin: string | null;
  readonly extraFilters: Readonly<Record<string, unknown>>;
}

/** In GB (docs/service/limits.md#sizes). */
const defaultDiskGb = 8;

/**
 * Returns what is rented when a request meets a template
 * (docs/service/renting.md#template-merge). A template's `volume_info` has no effect, so it
 * is left out here, like its recommended disk, which is a hint for the author of the request.
 */
export function mergeRent(request: RentRequest, template: RentTemplate | undefined): MergedRent {
  return {
    // A scalar of the request overrides the template.
    image: request.image ?? (template && imageWithTag(template)),
    diskGb: request.disk ?? defaultDiskGb,
    access: request.runtype === undefined ? templateAccess(template) : parseRuntype(request.runtype),
    onstart: request.onstart ?? template?.onstart ?? null,
    args: request.args ?? (template?.argsStr ? [template.argsStr] : []),
    jupyterLab: request.useJupyterLab ?? template?.useJupyterLab ?? false,
    jupyterDir: request.jupyterDir ?? template?.jupyterDir ?? null,
    env: { ...envFromFlags(template?.env ?? ''), ...request.env },
    extraFilters: { ...template?.extraFilters, ...request.extraFilters },
    imageLogin: request.imageLogin ?? (template ? templateLogin(template) : null),
  };
}

function imageWithTag(template: RentTemplate): string {
  const tag = template.tag ?? '';
  const hasTag = /[:@][^/]*$/.test(template.image);
  return tag === '' || hasTag ? template.image : `${template.image}:${tag}`;
}

/** Returns the run type of a template, `args` unless it states another (docs/service/templates.md#record). */
function templateAccess(template: RentTemplate | undefined): Access {
  if (!template) {
    // For a bare image no default is documented; the public client sends this one
    // (docs/service/renting.md#run-types).
    return parseRuntype('ssh');
  }
  const access = template.runtype
    ? parseRuntype(template.runtype)
    : template.useSsh
      ? parseRuntype('ssh')
      : noAccess;
  const direct = access.jupyter ? template.jupDirect : template.sshDirect;
  return { ...access, direct: access.direct || (access.ssh && direct === true) };
}

function templateLogin(template: RentTemplate): string | null {
  const { dockerLoginRepo: registry, dockerLoginUser: user, dockerLoginPass: token } = template;
  return registry ? `-u ${user ?? ''} -p ${token ?? ''} ${registry}` : null;
}
