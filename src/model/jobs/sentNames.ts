import ignore, { type Ignore } from 'ignore';
import { text, type Text } from '../../util/text';
import type { SyncRules } from './jobSpec';

/** Never sent; whoever wants one of them names it in `include`. */
const ownFolders = [
  '.vscode/',
  'node_modules/',
  '.venv/',
  'venv/',
  '__pycache__/',
  '.mypy_cache/',
  '.ipynb_checkpoints/',
  '/gpu-outputs/',
];

const secretFiles = [
  '.env*',
  '*.pem',
  '*.key',
  'id_*',
  '.netrc',
  '.aws/',
  '.ssh/',
  '.gnupg/',
  '.kube/',
  '*credentials*',
];

/** All names come from a list, and one of dots alone is a name like any other. */
const anyName = { allowRelativePaths: true };

const leftOutReasons = {
  secret: text('may be a secret'),
  rule: text('left out by a rule of the job'),
  outputs: text('outputs of a job'),
} as const;

export interface SentNames {
  readonly names: readonly string[];
  readonly leftOut: readonly { readonly name: string; readonly why: Text }[];
}

export interface RuleFiles {
  /** Text of `.gpurentalignore`. */
  readonly ignoreFile?: string | undefined;
  /** Below the folder that is sent, where the outputs of jobs go. */
  readonly outputFolders: readonly string[];
}

/**
 * Chooses what is sent of the files that git or a walk lists; names have forward slashes. What `include` names is sent
 * whatever the other rules say, so the list must have it.
 */
export function sentNames(listed: readonly string[], rules: SyncRules, files: RuleFiles): SentNames {
  const included = matcher(rules.include);
  const isIncluded = (name: string) => rules.include.length > 0 && included.ignores(name);
  // Whoever names a secret thinks of no case.
  const secret = ignore({ ...anyName, ignorecase: true }).add([...secretFiles]);
  const excluded = matcher([files.ignoreFile ?? '', ...rules.exclude]);
  const own = matcher([...ownFolders, ...(rules.git ? [] : ['.git'])]);
  const names: string[] = [];
  const leftOut: { name: string; why: Text }[] = [];
  for (const name of new Set(listed)) {
    if (isOutput(name, files.outputFolders)) {
      leftOut.push({ name, why: leftOutReasons.outputs });
    } else if (isIncluded(name)) {
      names.push(name);
    } else if (own.ignores(name)) {
      continue;
    } else if (secret.ignores(name)) {
      leftOut.push({ name, why: leftOutReasons.secret });
    } else if (excluded.ignores(name)) {
      leftOut.push({ name, why: leftOutReasons.rule });
    } else {
      names.push(name);
    }
  }
  return { names: names.sort(), leftOut };
}

/** Rules in the syntax of `.gitignore`; case counts, as it does on the machine. */
export function matcher(rules: readonly string[]): Ignore {
  return ignore({ ...anyName, ignorecase: false }).add(rules.join('\n'));
}

function isOutput(name: string, folders: readonly string[]): boolean {
  return folders.some((folder) => name === folder || name.startsWith(`${folder}/`));
}

/** Words of a script that may be names of files below its folder. */
export function namedFiles(script: string): readonly string[] {
  const words = script.match(/[\w@%+~./-]+/g) ?? [];
  const paths = words
    .map((word) => word.replace(/^(?:\.\/)+/, ''))
    .filter((word) => /[\w-]\.\w+$|\//.test(word) && !/^[/~-]|(?:^|\/)\.\.(?:\/|$)/.test(word));
  return [...new Set(paths)];
}
