import * as z from 'zod';
import { defined } from '../../util/defined';
import { UserError } from '../../util/errors';
import { deepestJson } from '../../util/json';
import { text } from '../../util/text';
import { parsePort } from '../documents/envFlags';
import { checkEnvironment } from '../documents/environmentDiagnostics';
import { JsonPlaces } from '../documents/jsonPlaces';
import { leastEnd, longestEnd, type AgreedEnd } from '../rentals/agreedEnd';
import type { Runtype } from '../rentals/rent';
import { environment, offerFilters } from '../templates/templateFields';
import { rentEnv } from '../templates/templateMerge';
import type { TemplateRef } from '../templates/templateRef';
import { volumeNameShape } from '../volume';
import { dataItem, type DataItem } from './dataItems';

/** The file in which a repository states what it needs (docs/rules.md#names-that-others-rely-on). */
export const workspaceFilePath = '.vscode/gpu-rental.json';

const templateReference = z
  .object({
    id: z.number().int().positive().meta({ description: 'Numeric id of the template; it alone decides.' }),
    name: z.string().optional().meta({ description: 'Name when it was chosen, for people.' }),
    hash: z.string().optional().meta({
      description: 'Hash when it was chosen; another one at renting means that it was edited since.',
    }),
  })
  .meta({ description: 'A stored template.', examples: [{ id: 12345, name: 'PyTorch' }] });

/** A full path without a step up, in characters that mean nothing to a shell or to the service. */
const mountShape = /^(?!.*\/\.\.?(?:\/|$))(?:\/[\w.+@-]{1,100}){1,10}$/;

/** One volume that the machine may have. */
const wantedVolume = z.object({
  name: z
    .string()
    .regex(volumeNameShape)
    .meta({ description: 'Name of a volume of your account: letters, digits and underscores.' }),
  mount: z
    .string()
    .regex(mountShape)
    .meta({
      description: 'Folder on the machine at which it is mounted, as a full path.',
      examples: ['/data'],
    }),
  sizeGb: z.number().int().min(1).optional().meta({
    description:
      'GB of the volume that is offered to be created with the instance, where the account has none of this name. Its price is shown before.',
  }),
  optional: z.boolean().optional().meta({
    description: 'The machine is rented without it, and without a question, where it is elsewhere.',
    default: false,
  }),
});
export type WantedVolume = z.infer<typeof wantedVolume>;

/** The keys of parts of a machine that are objects, for the checks of the document. */
export const innerKeys = {
  interruptible: ['maxBid'],
  volumes: Object.keys(wantedVolume.shape),
  data: Object.keys(dataItem.shape),
} as const;

/** The part of `.vscode/gpu-rental.json` that describes a machine; wings describe its other parts. */
export const recipeFields = z.object({
  filters: offerFilters.optional(),
  template: z.union([templateReference, z.number().int().positive()]).optional().meta({
    description:
      'The template to rent from: its numeric id, or id with name and hash. Either this or `image`.',
  }),
  image: z
    .string()
    .min(1)
    .optional()
    .meta({
      description: 'The container image to rent, where no template is used.',
      examples: ['pytorch/pytorch:2.5.1-cuda12.4-cudnn9-runtime'],
    }),
  diskGb: z
    .number()
    .min(8)
    .optional()
    .meta({ description: "Disk in GB; it can't be changed after renting.", examples: [40] }),
  env: environment.optional(),
  ports: z
    .array(z.string())
    .optional()
    .meta({
      description: 'Ports of the machine to open, as `host:container`, optionally with `/udp`.',
      examples: [['8080:8080']],
    }),
  onStart: z
    .string()
    .optional()
    .meta({ description: 'Shell commands that run each time the instance starts.' }),
  maxPricePerHour: z
    .number()
    .positive()
    .optional()
    .meta({
      description: 'Dollars an hour that the machine may cost at most, disk included. Required.',
      examples: [0.8],
    }),
  end: z
    .object({
      idleMinutes: z
        .number()
        .min(leastEnd.idleMinutes)
        .max(longestEnd.idleMinutes)
        .optional()
        .meta({ description: 'Minutes without use after which the instance stops by itself.' }),
      destroyAfterDays: z
        .number()
        .min(leastEnd.destroyAfterDays)
        .max(longestEnd.destroyAfterDays)
        .optional()
        .meta({ description: 'Days after a stop at which the instance is destroyed, or you are asked.' }),
    })
    .optional()
    .meta({
      description: 'Ends the rental earlier than your settings do; it never lengthens them.',
      examples: [{ idleMinutes: 15 }],
    }),
  runType: z.enum(['ssh_direct', 'ssh_proxy', 'jupyter_direct', 'jupyter_proxy', 'args']).optional().meta({
    description:
      'How the machine is reached. `args` runs the command of the image, without a login. Default: as the template says, otherwise `ssh_direct`.',
  }),
  interruptible: z
    .object({
      maxBid: z
        .number()
        .positive()
        .meta({ description: 'Dollars an hour that you bid at most for the GPUs.' }),
    })
    .optional()
    .meta({
      description:
        'Rents an interruptible machine, which stops when another user bids more. The confirmation offers a bid, which you can change up to this limit.',
      examples: [{ maxBid: 0.3 }],
    }),
  volumes: z
    .array(wantedVolume)
    .max(10)
    .optional()
    .meta({
      description:
        'Volumes by name, of which the machine gets the first that is on it. The search shows the machines that have one, unless all of them are optional.',
      examples: [[{ name: 'data', mount: '/data', sizeGb: 100 }]],
    }),
  data: z
    .array(dataItem)
    .max(50)
    .optional()
    .meta({
      description:
        'Data that the machine fetches itself, by _Fetch Data…_ of a running instance. It is fetched again only if its source or revision differs.',
      examples: [[{ from: 'hf://org/name@main', to: 'data/x' }]],
    }),
  folder: z
    .string()
    .optional()
    .meta({ description: 'Folder to open on the machine.', examples: ['/workspace'] }),
  whenRunning: z.enum(['connect', 'start', 'ask']).optional().meta({
    description:
      'When a machine with this recipe already exists: connect to it if it was rented for this workspace, start it where it is stopped, or ask. Default: `ask`.',
    default: 'ask',
  }),
});

export type RecipeFields = z.infer<typeof recipeFields>;

/** What a job can say instead of the name of a machine. */
export const machineChoices = ['new', 'running', 'ask'] as const;
export type MachineChoice = (typeof machineChoices)[number];

/** A name of a machine: as names of jobs, and none that has a meaning of its own. */
export const machineNameShape = new RegExp(
  `^(?!(?:${machineChoices.join('|')}|default)$)[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}$`,
  'i',
);

/** The other machines of a file; each has what the file says outside of them, unless it says otherwise. */
export const machinesField = z
  .record(z.string(), recipeFields)
  .optional()
  .meta({
    description:
      'More machines by name, for _Rent for This Workspace…_ and for `machine` of a job. Each inherits what the file says outside of them.',
    examples: [{ train: { filters: { num_gpus: { eq: 8 } }, maxPricePerHour: 16 } }],
  });

/** What to rent, in plain data; the price limit is always there. */
export interface Recipe {
  /** The name under `machines`; without one, it is the machine that the file itself describes. */
  readonly machine?: string;
  readonly filters: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly template?: TemplateRef;
  readonly image?: string;
  readonly diskGb?: number;
  readonly env: Readonly<Record<string, string>>;
  readonly onStart?: string;
  /** Dollars an hour. */
  readonly maxPricePerHour: number;
  readonly end?: Partial<AgreedEnd>;
  readonly runtype?: Runtype;
  /** Dollars an hour; present for an interruptible machine. */
  readonly maxBid?: number;
  readonly volumes?: readonly WantedVolume[];
  readonly data?: readonly DataItem[];
  readonly folder?: string;
  readonly whenRunning: 'connect' | 'start' | 'ask';
}

/** The same where the user chooses the image, and confirms the price, if the file does not. */
export type OpenRecipe = Omit<Recipe, 'maxPricePerHour'> & Partial<Pick<Recipe, 'maxPricePerHour'>>;

/** The workspace file can't be used for a rental; `path` is the place of the error. */
export class WorkspaceFileError extends UserError {
  constructor(
    message: ReturnType<typeof text>,
    readonly path: readonly string[] = [],
  ) {
    super(message);
  }
}

/**
 * Refuses a file with a syntax error, such as the marks of a merge conflict: only a part of it would be read.
 * @throws WorkspaceFileError naming the line.
 */
export function checkSyntax({ brokenLine, tooDeepAt }: JsonPlaces): void {
  if (brokenLine !== undefined && tooDeepAt !== undefined) {
    throw new WorkspaceFileError(
      text(
        '{0} is nested more than {1} levels deep in line {2}. Remove the inner levels and try again.',
        workspaceFilePath,
        deepestJson,
        brokenLine,
      ),
    );
  }
  if (brokenLine !== undefined) {
    throw new WorkspaceFileError(
      text('{0} is not valid JSON in line {1}. Correct it and try again.', workspaceFilePath, brokenLine),
    );
  }
}

/** Returns the names under `machines` that can be used; `undefined`, which comes first, is the machine of the file itself. */
export function machineNames(source: string): readonly (string | undefined)[] {
  const places = new JsonPlaces(source);
  const names = places.keys(['machines']).flatMap(({ name }) => (machineNameShape.test(name) ? [name] : []));
  const describesOne = names.length === 0 || namesSource(places.value([]));
  return [...(describesOne ? [undefined] : []), ...new Set(names)];
}

function namesSource(value: unknown): boolean {
  return isRecord(value) && (value['template'] !== undefined || value['image'] !== undefined);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads the file, or one of its machines; comments and trailing commas are allowed, unknown keys are ignored.
 * @throws WorkspaceFileError naming what is missing or wrong.
 */
export function parseWorkspaceFile(source: string, machine?: string): Recipe {
  const recipe = readRecipe(new JsonPlaces(source), machine);
  const { template, image, maxPricePerHour } = recipe;
  const path = machine === undefined ? [] : ['machines', machine];
  if (maxPricePerHour === undefined) {
    throw new WorkspaceFileError(
      text(
        '{0} names no "maxPricePerHour". Add the dollars an hour you would pay at most.',
        workspaceFilePath,
      ),
      path,
    );
  }
  if ((template === undefined) === (image === undefined)) {
    throw new WorkspaceFileError(
      text('{0} must name either "template" or "image".', workspaceFilePath),
      path,
    );
  }
  return { ...recipe, maxPricePerHour };
}

/** Returns the places of what a machine is with all that it inherits. Filters and variables are merged by key. */
function inherited(places: JsonPlaces, machine: string): JsonPlaces {
  const own = places.value(['machines', machine]);
  const file = places.value([]);
  if (!machineNameShape.test(machine) || !isRecord(own) || !isRecord(file)) {
    throw new WorkspaceFileError(
      text('{0} describes no machine with the name {1}.', workspaceFilePath, machine),
      ['machines'],
    );
  }
  const { template, image, ...rest } = file;
  const merged = { ...rest, ...(namesSource(own) ? {} : { template, image }), ...own };
  const mergedIn = ['filters', 'env'].flatMap((key) => {
    const [outer, inner] = [file[key], own[key]];
    return isRecord(outer) && isRecord(inner) ? [[key, { ...outer, ...inner }] as const] : [];
  });
  return new JsonPlaces(JSON.stringify({ ...merged, ...Object.fromEntries(mergedIn) }));
}

/**
 * Reads the description of a machine in a file, which need not be enough to rent it.
 * @throws WorkspaceFileError naming what is wrong.
 */
export function readRecipe(file: JsonPlaces, machine?: string): OpenRecipe {
  checkSyntax(file);
  const places = machine === undefined ? file : inherited(file, machine);
  const value = places.value([]);
  const parsed = recipeFields.safeParse(value);
  if (!parsed.success) {
    const path = (parsed.error.issues[0]?.path ?? []).map(String);
    throw new WorkspaceFileError(
      path.length === 0
        ? text('{0} is not a JSON object.', workspaceFilePath)
        : text('"{0}" in {1} has a wrong value.', path.join('.'), workspaceFilePath),
      path,
    );
  }
  const fields = parsed.data;
  const badPort = (fields.ports ?? []).findIndex((port) => !parsePort(port));
  if (badPort >= 0) {
    throw new WorkspaceFileError(
      text('"ports" in {0} has an entry that is not host:container.', workspaceFilePath),
      ['ports', String(badPort)],
    );
  }
  const findings = [...checkEnvironment(places, { secrets: 'file' })];
  if (findings.some(({ severity }) => severity === 'error')) {
    // A finding may quote a part of a value, so it stays in the document.
    throw new WorkspaceFileError(
      text(
        '"env" in {0} has an entry that can\'t be sent. Correct the marked place and try again.',
        workspaceFilePath,
      ),
      ['env'],
    );
  }
  return defined<OpenRecipe>({
    machine,
    filters: definedFilters(fields.filters ?? {}),
    template: fields.template === undefined ? undefined : templateRef(fields.template),
    image: fields.image,
    diskGb: fields.diskGb,
    env: rentEnv(fields.env, fields.ports),
    onStart: fields.onStart,
    maxPricePerHour: fields.maxPricePerHour,
    end: fields.end && defined<Partial<AgreedEnd>>(fields.end),
    runtype: fields.runType,
    // The price limit of the file is one for bids as well.
    maxBid:
      fields.interruptible &&
      Math.min(fields.interruptible.maxBid, fields.maxPricePerHour ?? Number.POSITIVE_INFINITY),
    volumes: fields.volumes,
    data: fields.data,
    folder: fields.folder,
    whenRunning: fields.whenRunning ?? 'ask',
  });
}

function definedFilters(filters: Readonly<Record<string, unknown>>): Recipe['filters'] {
  return Object.fromEntries(
    Object.entries(filters).filter(
      (entry): entry is [string, Record<string, unknown>] =>
        typeof entry[1] === 'object' && entry[1] !== null,
    ),
  );
}

function templateRef(template: NonNullable<RecipeFields['template']>): TemplateRef {
  if (typeof template === 'number') {
    return { id: template };
  }
  const { id, name, hash } = template;
  return defined<TemplateRef>({ id, name, hash });
}

/** Text of a workspace file, for one that is made by a command. */
export function renderWorkspaceFile(file: RecipeFields & Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(file, null, 2)}\n`;
}
