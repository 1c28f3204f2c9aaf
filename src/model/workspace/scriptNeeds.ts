import { parse, TomlError } from 'smol-toml';
import * as z from 'zod';
import { UserError } from '../../util/errors';
import { plainLabel } from '../../util/plainLabel';
import { scriptLines } from '../../util/scriptLines';
import { text } from '../../util/text';

/**
 * What a Python file says that it needs, in a block of comments that begins with `# /// script`
 * (packaging.python.org/en/latest/specifications/inline-script-metadata).
 */
export interface ScriptNeeds {
  /** The packages by name, without versions. */
  readonly packages: readonly string[];
  /** The versions of Python that it can use. */
  readonly python?: string | undefined;
  /** The block says from where PyTorch is installed. */
  readonly choosesTorch: boolean;
  /** `[tool.gpu-rental]`: of limits, the user confirms the same or less. */
  readonly wanted: ScriptWishes;
}

/** Its block can't be used; the message says what is wrong. */
export class ScriptBlockError extends UserError {}

/** The most characters of a block. */
const longestBlock = 64 * 1024;
const mostPackages = 200;

const wishes = z.object({
  machine: z.string().min(1).max(200).optional(),
  outputs: z.array(z.string()).max(50).optional(),
  limits: z
    .object({ hours: z.number().positive().optional(), costDollars: z.number().positive().optional() })
    .optional(),
});
export type ScriptWishes = z.infer<typeof wishes>;

const block = z.object({
  'requires-python': z
    .string()
    .regex(/^[\d.,<>=!~* ]{1,100}$/)
    .optional(),
  dependencies: z.array(z.string()).max(mostPackages).optional(),
  tool: z.object({ 'gpu-rental': wishes.optional() }).optional(),
});

/** Each of them decides which build of PyTorch is installed. */
const torchSources = [['index'], ['torch-backend'], ['pip', 'torch-backend'], ['sources', 'torch']];

/**
 * Returns what a file needs by its block; `undefined` for one that is no Python or has none.
 * @throws ScriptBlockError
 */
export function scriptNeeds(file: string, source: string): ScriptNeeds | undefined {
  const name = plainLabel(file);
  const found = /\.pyw?$/i.test(file) ? scriptBlocks(scriptLines(source)) : [];
  const [toml, another] = found;
  if (toml === undefined) {
    return undefined;
  }
  if (another !== undefined) {
    throw new ScriptBlockError(text('{0} has more than one "# /// script" block. Keep one.', name));
  }
  if (toml.length > longestBlock) {
    throw new ScriptBlockError(text('The "# /// script" block of {0} is too long.', name));
  }
  const value = parsed(name, toml);
  const checked = block.safeParse(value);
  if (!checked.success) {
    const key = (checked.error.issues[0]?.path ?? []).map(String).join('.');
    throw new ScriptBlockError(
      text('"{0}" in the "# /// script" block of {1} has a wrong value.', plainLabel(key), name),
    );
  }
  const { dependencies = [], tool, 'requires-python': python } = checked.data;
  return {
    ...(python === undefined ? {} : { python }),
    packages: [...new Set(dependencies.flatMap((one) => packageOf(one) ?? []))],
    choosesTorch: torchSources.some((path) => has(value, ['tool', 'uv', ...path])),
    wanted: tool?.['gpu-rental'] ?? {},
  };
}

/** The message of the parser quotes lines of the file, which a message of ours does not. */
function parsed(name: string, toml: string): unknown {
  try {
    return parse(toml);
  } catch (error) {
    if (error instanceof TomlError) {
      throw new ScriptBlockError(
        text('The "# /// script" block of {0} is not valid TOML in its line {1}.', name, error.line),
      );
    }
    throw error;
  }
}

/** Returns the text of each block of the type `script`. A block that is not closed is none, and nothing in one begins another. */
function scriptBlocks(source: string): readonly string[] {
  const lines = source.split('\n');
  const found: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [, type] = /^# \/\/\/ ([a-zA-Z0-9-]+)$/.exec(lines[at] ?? '') ?? [];
    if (type !== undefined) {
      const end = closingLine(lines, at + 1);
      if (end !== undefined && type === 'script') {
        const inner = lines.slice(at + 1, end);
        found.push(inner.map((line) => line.slice(2)).join('\n'));
      }
      at = end ?? lastComment(lines, at);
    }
  }
  return found;
}

const isInner = (line: string | undefined) => line === '#' || line?.startsWith('# ') === true;

function lastComment(lines: readonly string[], from: number): number {
  let at = from;
  while (isInner(lines[at + 1])) {
    at += 1;
  }
  return at;
}

/** The last mark of an end counts: what lies before it may be a document with such marks of its own. */
function closingLine(lines: readonly string[], from: number): number | undefined {
  let at = lastComment(lines, from - 1);
  while (at > from && lines[at] !== '# ///') {
    at -= 1;
  }
  return at > from ? at : undefined;
}

const table = z.record(z.string(), z.unknown());

function has(value: unknown, [key, ...inner]: readonly string[]): boolean {
  const own = key === undefined ? undefined : table.safeParse(value).data;
  return key === undefined || (own !== undefined && Object.hasOwn(own, key) && has(own[key], inner));
}

/** Returns the name that a dependency begins with, as pip compares names. */
function packageOf(dependency: string): string | undefined {
  const [name] = /^\s*([A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?)/.exec(dependency)?.slice(1) ?? [];
  return name?.toLowerCase().replace(/[-_.]+/g, '-');
}
