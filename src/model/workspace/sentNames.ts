import ignore, { type Ignore } from 'ignore';
import { UserError } from '../../util/errors';
import { text, type Text } from '../../util/text';

/** What a folder sends beyond the rules of the product; patterns in `.gitignore` syntax. */
export interface SendRules {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Whether `.git` is sent. */
  readonly git: boolean;
}

/** All names come from a list, so a name that consists of dots is treated like any other. */
const anyName = { allowRelativePaths: true };

/** Folders that are never sent unless `include` names them. */
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
  ...['.env*', '*.pem', '*.key', '*.p12', '*.pfx', '*.ppk', '*.jks', '*.keystore', '*.kdbx', 'id_*'],
  ...[
    '.netrc',
    '_netrc',
    '.npmrc',
    '.pypirc',
    '.pgpass',
    '.htpasswd',
    '.my.cnf',
    '.boto',
    '.s3cfg',
    'rclone.conf',
  ],
  ...[
    '.aws/',
    '.azure/',
    '.docker/',
    '.gnupg/',
    '.kube/',
    '.ssh/',
    'gcloud/',
    'kaggle.json',
    '*.tfstate',
    '*.tfvars',
  ],
  ...['*credentials*', 'service-account*.json', 'service_account*.json'],
  ...['toml', 'yaml', 'yml', 'json', 'txt'].map((ending) => `secrets.${ending}`),
];
// Users name secret files in any case.
const secret = ignore({ ...anyName, ignorecase: true }).add([...secretFiles]);

/** Returns those of the names that look like secrets, by the whole name in the workspace. */
export function secretNames(names: readonly string[], workdir: string): readonly string[] {
  const inWorkspace = (name: string) => (workdir === '.' || workdir === '' ? name : `${workdir}/${name}`);
  return names.filter((name) => secret.ignores(inWorkspace(name)));
}

const leftOutReasons = {
  secret: text('may be a secret'),
  rule: text('left out by a rule'),
  outputs: text('outputs of a job'),
} as const;

export interface SentNames {
  readonly names: readonly string[];
  readonly leftOut: readonly { readonly name: string; readonly why: Text }[];
}

export interface RuleFiles {
  /** The text of `.gpurentalignore`. */
  readonly ignoreFile?: string | undefined;
  /** The output folders of jobs inside the folder that is sent. */
  readonly outputFolders: readonly string[];
  /** The folder that is sent, by its real name below the workspace: a folder of secrets is one as a whole, too. */
  readonly workdir: string;
}

/**
 * Selects the files to send from those that git or a directory walk lists, with forward slashes. Names in `include` are
 * sent regardless of other rules, so they must be in the list.
 */
export function sentNames(listed: readonly string[], rules: SendRules, files: RuleFiles): SentNames {
  const included = matcher(rules.include);
  const isIncluded = (name: string) => rules.include.length > 0 && included.ignores(name);
  const secrets = new Set(secretNames(listed, files.workdir));
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
    } else if (secrets.has(name)) {
      leftOut.push({ name, why: leftOutReasons.secret });
    } else if (excluded.ignores(name)) {
      leftOut.push({ name, why: leftOutReasons.rule });
    } else {
      names.push(name);
    }
  }
  return { names: names.sort(), leftOut };
}

/** Each further star of a rule multiplies the time that a name takes by the length of the name. */
const mostStars = 3;

/**
 * Returns a matcher for rules in `.gitignore` syntax; case-sensitive, like the machine. Throws `UserError` for a rule that
 * would take minutes for one name.
 */
export function matcher(rules: readonly string[]): Ignore {
  const lines = rules.join('\n');
  const slow = lines.split(/\r?\n/).find(isSlow);
  if (slow !== undefined) {
    throw new UserError(
      text('The rule {0} has too many stars. Use at most {1} in one name, and {1} of **.', slow, mostStars),
    );
  }
  return ignore({ ...anyName, ignorecase: false }).add(lines);
}

function isSlow(rule: string): boolean {
  const parts = rule.startsWith('#') ? [] : rule.split('/');
  const isDeep = (part: string) => /^\*{2,}$/.test(part);
  const stars = parts.filter((part) => !isDeep(part)).map((part) => part.match(/\*+/g)?.length ?? 0);
  return parts.filter(isDeep).length > mostStars || stars.some((count) => count > mostStars);
}

function isOutput(name: string, folders: readonly string[]): boolean {
  return folders.some((folder) => name === folder || name.startsWith(`${folder}/`));
}
