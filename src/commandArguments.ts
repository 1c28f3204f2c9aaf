import * as z from 'zod';
import type { RentDraft } from './model/rentals/rentDraft';
import { templateIdOf, type UriParts } from './model/templates/templateUri';

// Shapes of the arguments that menus, links and other features pass to commands.

const id = z.int().nonnegative();

function isObject(given: unknown): given is object {
  return typeof given === 'object' && given !== null;
}

function hasFirst(shape: z.ZodRawShape, given: unknown): boolean {
  const [key = ''] = Object.keys(shape);
  return isObject(given) && key in given;
}

/**
 * Returns the shape of plain data with these fields. An object without the first field is another kind of row and reads
 * as `undefined`.
 */
function named<const Shape extends z.ZodRawShape>(shape: Shape) {
  const own = (given: unknown) => (hasFirst(shape, given) ? given : undefined);
  return z.preprocess(own, z.object(shape).readonly().optional());
}

/** Returns the shape of the selected rows of a tree, without rows of another kind. */
function several<const Shape extends z.ZodRawShape>(shape: Shape) {
  const own = (given: unknown) =>
    Array.isArray(given) ? given.filter((row) => hasFirst(shape, row)) : undefined;
  return z.preprocess(own, z.array(z.object(shape).readonly()).readonly().optional());
}

/** The fields that all drafts share; the service validates filters and choices. */
const draftShape = z.looseObject({
  accountKey: z.string().optional(),
  title: z.string(),
  query: z.looseObject({
    filters: z.looseObject({}),
    diskGb: z.number().positive(),
    rentalType: z.enum(['on-demand', 'interruptible']),
  }),
  choices: z.looseObject({}).optional(),
});
const offerShape = z.looseObject({ id });

/** Returns a shape that keeps the draft object itself, because other features own its type. */
function draft<Draft extends RentDraft>(offer: z.ZodType) {
  const shape = draftShape.extend({ offer });
  return z.custom<Draft>(isObject).superRefine((given, context) => {
    for (const { path, message } of shape.safeParse(given).error?.issues ?? []) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  });
}

/** The user returns from the steps of a rental to the list, which may lack an offer by now or show fewer of them. */
const backToList = z.object({
  kind: z.enum(['back', 'outdated', 'narrowed']),
  draft: draft<RentDraft>(offerShape.optional()),
});

interface Uri extends UriParts {
  toString(): string;
}

/** Returns true for the URI of a document, which menus of documents pass. */
function isUri(given: unknown): given is Uri {
  return (
    isObject(given) &&
    ['scheme', 'authority', 'path'].every(
      (part) => typeof (given as Readonly<Record<string, unknown>>)[part] === 'string',
    )
  );
}

const instance = named({ instanceId: id });
const instances = [instance, several({ instanceId: id })] as const;
const volume = named({ volumeId: id });
/** A past rental, by its instance id. */
const past = named({ pastId: id });
/** A group for other tools. */
const hostSet = named({ hostSetId: z.string() });
/** An instance or a group, then the selected instances. */
const hosts = [
  z.preprocess(
    (given) => (isObject(given) && ('instanceId' in given || 'hostSetId' in given) ? given : undefined),
    z
      .union([z.object({ instanceId: id }).readonly(), z.object({ hostSetId: z.string() }).readonly()])
      .optional(),
  ),
  several({ instanceId: id }),
] as const;
const sshKey = named({ sshKeyId: id });
const secret = named({ secretName: z.string() });
const query = named({ query: z.unknown(), name: z.string().max(200).optional() });
/** A port, by its number in the container, and its address if it is forwarded. Without a protocol it is one of TCP. */
const port = named({
  port: id,
  instanceId: id,
  via: z.enum(['public', 'forward']),
  protocol: z.enum(['tcp', 'udp']).optional(),
  host: z.string().optional(),
});
/** A kernel that runs on an instance. */
const kernel = named({ kernelId: z.string(), instanceId: id });
/** A key below an instance, by the service's id. */
const instanceKey = named({ instanceId: id, keyId: id.optional() });
/** A template; a row of a list also names its group. */
const template = z.preprocess(
  (given) => {
    const templateId = isUri(given) ? templateIdOf(given) : undefined;
    return templateId === undefined ? given : { templateId };
  },
  named({ templateId: id, group: z.unknown().optional() }),
);
/** A document, open or on disk. */
const document = z.preprocess(
  (given) => (isUri(given) ? { uri: given.toString() } : given),
  named({ uri: z.string() }),
);
/** An instance in the account in which the user chose it. */
const held = z.object({ instanceId: id, accountKey: z.string() });
const sshEntry = held.extend({ isEntryOnly: z.boolean().optional(), isForTerminal: z.boolean().optional() });
/** Its alias, or why no login works. */
const reached = z.union([z.object({ alias: z.string() }), z.object({ problem: z.string() })]);
/** A worker of a pull engine on each of these instances. */
const workers = z.object({ engine: z.string(), instanceIds: z.array(id) });
/** A job of a workspace file, whose address it names. */
const job = named({ uri: z.string(), jobName: z.string().optional() });
/** A job that ran. */
const jobRow = named({ jobId: z.string() });
/** A page of the package for users. */
const guide = z.enum(['jobs', 'notebooks', 'engines', 'agents']).optional().catch(undefined);
/** A row of the account view chooses the page. */
const page = z.object({ part: z.unknown(), kind: z.unknown() }).partial().optional().catch(undefined);

/** Exported as one object, because the plain names belong to other modules. */
export const argumentShapes = {
  id,
  isObject,
  named,
  several,
  offerShape,
  backToList,
  draft,
  instance,
  instances,
  volume,
  past,
  hostSet,
  hosts,
  sshKey,
  secret,
  query,
  port,
  kernel,
  instanceKey,
  template,
  document,
  job,
  jobRow,
  held,
  sshEntry,
  reached,
  workers,
  guide,
  page,
};

export type InstanceTarget = NonNullable<z.output<typeof instance>>;
export type TemplateTarget = NonNullable<z.output<typeof template>>;
export type SecretTarget = NonNullable<z.output<typeof secret>>;
export type SshKeyTarget = NonNullable<z.output<typeof sshKey>>;
export type InstanceKeyTarget = NonNullable<z.output<typeof instanceKey>>;
export type VolumeTarget = NonNullable<z.output<typeof volume>>;
export type PastTarget = NonNullable<z.output<typeof past>>;
export type HostSetTarget = NonNullable<z.output<typeof hostSet>>;
export type HostsTarget = NonNullable<z.output<(typeof hosts)[0]>>;
export type Guide = NonNullable<z.output<typeof guide>>;
export type PageTarget = NonNullable<z.output<typeof page>>;
export type KernelTarget = NonNullable<z.output<typeof kernel>>;
export type PortTarget = NonNullable<z.output<typeof port>>;
export type JobTarget = NonNullable<z.output<typeof job>>;
export type WorkersTarget = z.output<typeof workers>;
export type JobRowTarget = NonNullable<z.output<typeof jobRow>>;
export type DocumentTarget = NonNullable<z.output<typeof document>>;
