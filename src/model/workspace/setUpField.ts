import * as z from 'zod';
import { plainLines } from '../../util/plainLabel';
import { scriptLines } from '../../util/scriptLines';
import { text } from '../../util/text';
import { JsonPlaces } from '../documents/jsonPlaces';
import { extensionIdShape } from './extensionId';
import { checkSyntax, WorkspaceFileError, workspaceFilePath } from './workspaceFile';

const nameShape = /^[A-Za-z_][A-Za-z0-9_]{0,254}$/;

/** More than this can't be shown in the question whether it may run. */
const longestScript = 1500;
const mostLines = 30;
const longestLists = 1200;

const setUp = z.object({
  extensions: z
    .array(z.string().regex(extensionIdShape))
    .max(30)
    .optional()
    .meta({
      description: 'Ids of extensions that are installed in windows on the machine.',
      examples: [['ms-python.python']],
    }),
  secrets: z
    .array(z.string().regex(nameShape))
    .max(30)
    .optional()
    .meta({
      description:
        'Names of environment variables that the machine needs. Each user chooses the values, which are never in this file.',
      examples: [['HF_TOKEN']],
    }),
  script: z
    .string()
    .max(longestScript)
    .optional()
    .meta({
      description:
        'Shell commands that run once on each machine, in the folder if it is there; the first that fails ends them. Put what is longer into a file of the folder.',
      examples: ['pip install -r requirements.txt'],
    }),
});

/** What a workspace file wants machines to be set up with. Nothing of it is done before the user has agreed. */
export const setUpField = setUp.optional().meta({
  description: 'What machines are set up with when a window opens on them, once you agreed.',
});

export const setUpKeys = Object.keys(setUp.shape);

export interface RepositorySetUp {
  readonly extensions: readonly string[];
  readonly secrets: readonly string[];
  readonly script: string;
}

/**
 * Reads the set-up of a workspace file; returns undefined if it wants nothing.
 * @throws WorkspaceFileError naming what is wrong.
 */
export function readSetUp(source: string): RepositorySetUp | undefined {
  const places = new JsonPlaces(source);
  checkSyntax(places);
  const value = places.value(['setUp']);
  const parsed = setUpField.safeParse(value);
  if (!parsed.success) {
    const path = ['setUp', ...(parsed.error.issues[0]?.path ?? []).map(String)];
    throw new WorkspaceFileError(
      text('"{0}" in {1} has a wrong value.', path.join('.'), workspaceFilePath),
      path,
    );
  }
  const { extensions = [], secrets = [], script = '' } = parsed.data ?? {};
  const lines = scriptLines(script).trimEnd();
  // Text that the question can't show would run unseen.
  if (plainLines(lines) !== lines || lines.split('\n').length > mostLines) {
    throw new WorkspaceFileError(
      text(
        '"setUp.script" in {0} has hidden characters or more than {1} lines. Put it into a file of the folder and run that.',
        workspaceFilePath,
        mostLines,
      ),
      ['setUp', 'script'],
    );
  }
  const read = { extensions: [...new Set(extensions)], secrets: [...new Set(secrets)], script: lines };
  // A dialog as high as the screen would hide what comes below them.
  if ([...read.extensions, ...read.secrets].join(', ').length > longestLists) {
    throw new WorkspaceFileError(
      text(
        '"setUp" in {0} names more extensions and secrets than a question can show. Name fewer of them.',
        workspaceFilePath,
      ),
      ['setUp'],
    );
  }
  return read.extensions.length + read.secrets.length + lines.trim().length > 0 ? read : undefined;
}
