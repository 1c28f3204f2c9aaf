import * as z from 'zod';
import type { OfferField } from '../../wire/offer';

/**
 * The only definition of a template document. It keeps the service's field names, so that users recognize them from
 * the service's documentation and command-line client (docs/service/templates.md#record). The JSON schema for
 * completion and checks is generated from it.
 */

const filterValue = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.array(z.union([z.string(), z.number()])),
]);
const operators = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'notin'] as const;

const fieldFilter = z
  .partialRecord(z.enum(operators), filterValue)
  .meta({ description: 'Operators and values, for example {"gte": 24000}; `in` and `notin` take a list.' });

/** The most used filters (docs/service/offers.md#fields-and-units). Any other field of an offer is allowed. */
const offerFields: Readonly<Partial<Record<OfferField, string>>> = {
  gpu_name: 'GPU model with a space, for example "RTX 4090".',
  num_gpus: 'Number of GPUs.',
  gpu_ram: 'Memory of one GPU in MB: 24 GB are about 24000.',
  reliability: 'Share of time the machine was reachable, 0 to 1.',
  verified: 'Machine verified by the service.',
  rentable: 'Free to rent now.',
  dph_total: 'Price in dollars per hour, including the disk.',
  direct_port_count: 'Ports that can be reached directly.',
  cuda_max_good: 'Highest CUDA version that works, for example 12.4.',
  dlperf_per_dphtotal: 'Deep learning score per $/h.',
  compute_cap: 'Compute capability times 100: 890 is 8.9.',
  cpu_cores: 'CPU cores of the machine.',
  cpu_ram: 'Memory of the machine in MB.',
  disk_space: 'Free disk in GB.',
  inet_down: 'Download speed in Mbit/s.',
  inet_up: 'Upload speed in Mbit/s.',
  geolocation: 'Country as two capital letters, for example {"in": ["SE", "DE"]}.',
  datacenter: 'In a data center.',
  static_ip: 'Has a fixed IP address.',
  duration: 'Seconds for which the host still offers the machine.',
};

export const offerFilters = z
  .object(
    Object.fromEntries(
      Object.entries(offerFields).map(([name, description]) => [
        name,
        fieldFilter.optional().meta({ description }),
      ]),
    ),
  )
  .catchall(fieldFilter)
  .meta({
    description:
      'Which machines to look for: `{field: {operator: value}}`, the same shape as search filters.',
    examples: [
      { gpu_name: { in: ['RTX 4090', 'RTX 5090'] }, num_gpus: { eq: 1 }, reliability: { gte: 0.98 } },
    ],
    defaultSnippets: [
      {
        label: 'GPU, count and reliability',
        body: {
          gpu_name: { in: ['${1:RTX 4090}'] },
          num_gpus: { eq: '^${2:1}' },
          reliability: { gte: '^${3:0.98}' },
        },
      },
    ],
  });

export const environment = z.union([z.string(), z.record(z.string(), z.string())]).meta({
  description:
    'Environment variables and ports. As an object: names with text values; a port is a key such as "-p 8080:8080" with the value "1". As text: `-e NAME=value -p host:container`.',
  examples: [{ HF_HOME: '/workspace/hf', '-p 8080:8080': '1' }, '-e HF_HOME=/workspace/hf -p 8080:8080'],
  defaultSnippets: [
    { label: 'A variable', body: { '${1:NAME}': '${2:value}' } },
    { label: 'A port', body: { '-p ${1:8080}:${2:8080}': '1' } },
  ],
});

export const templateRuntypes = ['ssh', 'jupyter', 'args'] as const;

const text = (description: string, more: z.GlobalMeta = {}) =>
  z
    .string()
    .optional()
    .meta({ description, ...more });
const flag = (description: string, more: z.GlobalMeta = {}) =>
  z
    .boolean()
    .optional()
    .meta({ description, ...more });

/** The editable fields, in the order that a user would write them (docs/service/templates.md#record). */
export const templateFields = z
  .looseObject({
    name: text('Name of the template. Required.', { examples: ['PyTorch with SSH'] }),
    desc: text('One line that says what it is for.'),
    image: text('Container image. Required.', {
      examples: ['pytorch/pytorch', 'nvidia/cuda', 'vllm/vllm-openai', 'ghcr.io/owner/image'],
    }),
    tag: text('Tag of the image. Default: `latest`.', { default: 'latest', examples: ['latest'] }),
    href: text('Link to the documentation of the image.', {
      examples: ['https://hub.docker.com/r/pytorch/pytorch'],
    }),
    repo: text('Identifier of the image repository.', { examples: ['pytorch/pytorch'] }),
    runtype: z
      .union([z.enum(templateRuntypes), z.string()])
      .optional()
      .meta({
        description:
          'How you connect: `ssh` and `jupyter` replace the entrypoint of the image; `args` keeps it and has neither SSH nor Jupyter. Default: `args`.',
        default: 'args',
        examples: [...templateRuntypes],
      }),
    ssh_direct: flag('Direct SSH: faster than through the proxy; recommended with run type `ssh`.'),
    use_ssh: flag('SSH access.'),
    jup_direct: flag('Direct connection to Jupyter.'),
    use_jupyter_lab: flag('JupyterLab instead of Jupyter Notebook.'),
    jupyter_dir: z
      .union([z.string(), z.null()])
      .optional()
      .meta({ description: 'Folder in which Jupyter starts.', examples: ['/workspace'] }),
    args_str: text(
      'Replaces the command of the image, or is passed to its entrypoint. Only for run type `args`.',
    ),
    env: environment.optional(),
    onstart: text(
      'Shell commands that run each time the instance starts, after SSH or Jupyter is up. Up to 4048 characters; longer scripts are compressed when renting.',
    ),
    recommended_disk_space: z
      .number()
      .nonnegative()
      .optional()
      .meta({
        description: "Disk in GB. Default: 8. It can't be changed after renting.",
        // Marked only: the service refuses it with its own reason.
        minimum: 1,
        default: 8,
        examples: [16, 32, 64],
      }),
    extra_filters: z.union([offerFilters, z.string()]).optional().meta({
      description: 'Filters for the search of offers: the machines that this template is for.',
    }),
    docker_login_repo: text('Address of the private registry. Required; empty if unused.', {
      examples: ['', 'docker.io', 'ghcr.io'],
    }),
    docker_login_user: text('User at the private registry. Required; empty if unused.', {
      examples: [''],
    }),
    docker_login_pass: text(
      'Access token for the private registry. Required; empty if unused. The document holds a reference such as `${secret:name}`; the value is kept in the secret store of the editor.',
      { examples: [''] },
    ),
    volume_info: z
      .union([z.record(z.string(), z.unknown()), z.null()])
      .optional()
      .meta({
        description: 'A hint for the web console only. It does not attach a volume; choose one when renting.',
      }),
    private: flag('Visible only to you. `false` shows the template and its environment to everyone.', {
      default: true,
    }),
    readme_visible: flag('Show the readme in the web console.'),
    readme: text('Long documentation in Markdown.'),
  })
  .meta({ title: 'GPU Rental template' });

export type TemplateField = keyof typeof templateFields.shape;

export const fieldOrder = Object.keys(templateFields.shape) as readonly TemplateField[];

export const requiredFields = [
  'name',
  'image',
  'docker_login_repo',
  'docker_login_user',
  'docker_login_pass',
] as const satisfies readonly TemplateField[];

/** Fields that the service sets. They appear in the tree and the hover, never in the document. */
export const serviceFields: ReadonlySet<string> = new Set([
  'id',
  'hash_id',
  'creator_id',
  'user_id',
  'created_at',
  'updated_at',
  'deleted_at',
  'count_created',
  'default_tag',
  'recent_create_date',
  'recommended',
]);

export function isTemplateField(name: string): name is TemplateField {
  return Object.hasOwn(templateFields.shape, name);
}

/**
 * The value of a missing key when two documents are compared. `private` has none:
 * a record without it means neither true nor false.
 */
const meaningOfAbsent: Readonly<Partial<Record<TemplateField, unknown>>> = {
  name: '',
  desc: '',
  image: '',
  tag: '',
  href: '',
  repo: '',
  runtype: '',
  ssh_direct: false,
  use_ssh: false,
  jup_direct: false,
  use_jupyter_lab: false,
  jupyter_dir: null,
  args_str: '',
  env: '',
  onstart: '',
  extra_filters: {},
  docker_login_repo: '',
  docker_login_user: '',
  docker_login_pass: '',
  volume_info: null,
  readme: '',
};

export function absentValue(name: string): unknown {
  return isTemplateField(name) ? meaningOfAbsent[name] : undefined;
}

/**
 * Returns the value to send when the user deletes the key: the documented default (docs/service/templates.md#record).
 */
export function resetValue(name: string): unknown {
  switch (name) {
    case 'tag':
      return 'latest';
    case 'runtype':
      return 'args';
    case 'recommended_disk_space':
      return 8;
    case 'private':
      return true;
    case 'readme_visible':
      return true;
    default:
      return isTemplateField(name) ? meaningOfAbsent[name] : null;
  }
}
