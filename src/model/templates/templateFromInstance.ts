import { readEnv } from '../documents/envObject';
import type { Instance } from '../instances/instance';
import { displayLabel } from '../instances/instanceLabel';
import type { DocumentFields } from './templateDocument';

/** Variables that the service sets in every instance. They are not part of a configuration. */
const ofTheService = new Set([
  'CONTAINER_API_KEY',
  'CONTAINER_ID',
  'PUBLIC_IPADDR',
  'SSH_CONNECTION',
  'DATA_DIRECTORY',
]);

/** Splits `image:tag`. A digest stays part of the image. */
function splitImage(image: string): { readonly image: string; readonly tag?: string } {
  const slash = image.lastIndexOf('/');
  const colon = image.lastIndexOf(':');
  // The tag of the service's own images begins with an @ and is no digest.
  const isTag = !image.includes('@') || image.slice(colon) === ':@vastai-automatic-tag';
  return colon > slash && isTag ? { image: image.slice(0, colon), tag: image.slice(colon + 1) } : { image };
}

/** Returns a new template for an image. */
export function templateForImage(image: string): DocumentFields {
  const parts = splitImage(image.trim());
  const name = parts.image.slice(parts.image.lastIndexOf('/') + 1);
  return {
    name: name === '' ? 'Template' : name,
    desc: '',
    image: parts.image,
    tag: parts.tag ?? 'latest',
    runtype: 'ssh',
    ssh_direct: true,
    use_ssh: true,
    env: {},
    onstart: '',
    recommended_disk_space: 16,
    extra_filters: {},
    docker_login_repo: '',
    docker_login_user: '',
    docker_login_pass: '',
    private: true,
  };
}

/** Returns the arguments as one line; one alone is that line already. */
function argsText(args: readonly string[], quote: (word: string) => string): string {
  return args.length === 1 ? args.join('') : args.map(quote).join(' ');
}

/** Returns a template that rents an instance like this one. `quote` makes one word of an argument. */
export function templateFromInstance(instance: Instance, quote: (word: string) => string): DocumentFields {
  const runtype = instance.runtype ?? '';
  const kind = runtype.includes('jupyter') ? 'jupyter' : runtype.includes('ssh') ? 'ssh' : 'args';
  const isDirect = runtype.includes('direc');
  const pairs = (instance.env ?? []).filter(([name]) => !ofTheService.has(name));
  const base = templateForImage(instance.image ?? '');
  const label = displayLabel(instance) ?? '';
  return {
    ...base,
    name: label === '' ? base['name'] : label,
    runtype: kind,
    ssh_direct: kind !== 'args' && isDirect,
    use_ssh: kind !== 'args',
    ...(kind === 'jupyter' ? { jup_direct: isDirect } : {}),
    ...(kind === 'args' && instance.args ? { args_str: argsText(instance.args, quote) } : {}),
    env: readEnv(pairs.map(([name, value]) => [name, value])) ?? {},
    onstart: instance.onstart ?? '',
    recommended_disk_space: Math.max(8, Math.ceil(instance.diskSpaceGb ?? 16)),
    extra_filters: instance.gpuName === undefined ? {} : { gpu_name: { in: [instance.gpuName] } },
  };
}
