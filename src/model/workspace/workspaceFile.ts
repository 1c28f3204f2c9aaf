import * as z from 'zod';
import { defined } from '../../util/defined';
import { UserError } from '../../util/errors';
import { deepestJson } from '../../util/json';
import { text } from '../../util/text';
import { parsePort } from '../documents/envFlags';
import { checkEnvironment } from '../documents/environmentDiagnostics';
import { JsonPlaces } from '../documents/jsonPlaces';
import { leastEnd, longestEnd, type AgreedEnd } from '../rentals/agreedEnd';
import { environment, offerFilters } from '../templates/templateFields';
import { rentEnv } from '../templates/templateMerge';
import type { TemplateRef } from '../templates/templateRef';

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

/** What to rent, in plain data; the price limit is always there. */
export interface Recipe {
  readonly filters: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly template?: TemplateRef;
  readonly image?: string;
  readonly diskGb?: number;
  readonly env: Readonly<Record<string, string>>;
  readonly onStart?: string;
  /** Dollars an hour. */
  readonly maxPricePerHour: number;
  readonly end?: Partial<AgreedEnd>;
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

/**
 * Reads the file; comments and trailing commas are allowed, unknown keys are ignored.
 * @throws WorkspaceFileError naming what is missing or wrong.
 */
export function parseWorkspaceFile(source: string): Recipe {
  const recipe = readRecipe(new JsonPlaces(source));
  const { template, image, maxPricePerHour } = recipe;
  if (maxPricePerHour === undefined) {
    throw new WorkspaceFileError(
      text(
        '{0} names no "maxPricePerHour". Add the dollars an hour you would pay at most.',
        workspaceFilePath,
      ),
    );
  }
  if ((template === undefined) === (image === undefined)) {
    throw new WorkspaceFileError(text('{0} must name either "template" or "image".', workspaceFilePath));
  }
  return { ...recipe, maxPricePerHour };
}

/**
 * Reads the description of a machine in a file, which need not be enough to rent it.
 * @throws WorkspaceFileError naming what is wrong.
 */
export function readRecipe(places: JsonPlaces): OpenRecipe {
  checkSyntax(places);
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
  const file = parsed.data;
  const badPort = (file.ports ?? []).findIndex((port) => !parsePort(port));
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
    filters: definedFilters(file.filters ?? {}),
    template: file.template === undefined ? undefined : templateRef(file.template),
    image: file.image,
    diskGb: file.diskGb,
    env: rentEnv(file.env, file.ports),
    onStart: file.onStart,
    maxPricePerHour: file.maxPricePerHour,
    end: file.end && defined<Partial<AgreedEnd>>(file.end),
    folder: file.folder,
    whenRunning: file.whenRunning ?? 'ask',
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
