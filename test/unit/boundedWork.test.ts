import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { codeInText } from '../../src/api/errorCodes';
import { unpackOnstart } from '../../src/api/onstart';
import { findWords, matcherOf } from '../../src/jobs/machine/outputPatterns';
import { setupKey } from '../../src/jobs/machine/setupKey';
import { readJob } from '../../src/jobs/model/jobSpec';
import { plainLog } from '../../src/jobs/model/logText';
import { namedFiles } from '../../src/jobs/model/namedFiles';
import { readApiKeyDocument } from '../../src/model/accounts/apiKeyDocument';
import { parseEnvFlags, replaceValues } from '../../src/model/documents/envFlags';
import { envText, readEnv } from '../../src/model/documents/envObject';
import { scriptSecrets } from '../../src/model/documents/scriptSecrets';
import { targetProblem } from '../../src/model/instances/dataCopy';
import { readPriceLimit } from '../../src/model/offers/searchWatch';
import { parseTypedQuery } from '../../src/model/offers/typedQuery';
import { typedRanges } from '../../src/model/offers/typedRange';
import { withoutGuard } from '../../src/model/rentals/birthGuard';
import { readDiskGb } from '../../src/model/rentals/rentPlan';
import { hideEnv } from '../../src/model/templates/envReferences';
import { findTemplateProblems } from '../../src/model/templates/templateDiagnostics';
import { findReference, looksSecret } from '../../src/model/templates/templateReference';
import { sentNames } from '../../src/model/workspace/sentNames';
import { parseWorkspaceFile } from '../../src/model/workspace/workspaceFile';
import { hostFiles } from '../../src/several/model/hostFiles';
import { filesRead, unescaped } from '../../src/ssh/effectiveConfig';
import { hostKeyErrorOf } from '../../src/ssh/hostKey';
import { findBlock } from '../../src/ssh/includeBlock';
import { plainText } from '../../src/ssh/plainText';
import { printedHostKeys } from '../../src/ssh/printedHostKeys';
import { parseProof } from '../../src/ssh/proofText';
import { parsePublicKey } from '../../src/ssh/publicKey';
import { hashOf, parseRecord } from '../../src/ssh/remoteTree';
import { parseRepositoryUrl } from '../../src/ssh/repositoryUrl';
import { interpreterFor, remoteName } from '../../src/ssh/runFile';
import { safeFileName } from '../../src/util/fileName';
import { impersonal } from '../../src/util/impersonal';
import { tooDeepAt } from '../../src/util/json';
import { JsonLines } from '../../src/util/jsonLines';
import { plainLabel } from '../../src/util/plainLabel';
import { markdownLines } from '../../src/util/plainMarkdown';
import { Redactor } from '../../src/util/redact';
import { scriptLines } from '../../src/util/scriptLines';
import { sized } from '../support/seeded';
import { findInFile } from '../support/workspaceFile';

/** Parts of texts on which patterns go back and forth; each is repeated until the text is long. */
const parts = [
  ...'a1 .-_/\\"\'=:;,<>[](){}@#$%&*+?!|~`^\n\r\t\0\u001bé'.split(''),
  ...[
    'a@',
    'a.',
    'a ',
    '1 ',
    '1.',
    '1a',
    'a1',
    'A=',
    'a="',
    "a='",
    'a=[ ',
    'a\n',
    '\r\n',
    ' \n',
    '\\\n',
    '\\"',
    ''.padEnd(3),
  ],
  ...[
    '[a](',
    '](',
    '<a ',
    '<!--',
    '**',
    '`a',
    '- ',
    '\n- ',
    '\n# ',
    '://',
    'a://',
    'a:',
    '../',
    './a',
    'a/',
    '//',
    '/*',
    '*/',
  ],
  ...[
    '\u001b[',
    '\u001b]',
    '\u001b[1;',
    '$(',
    '${',
    '${secret:',
    '-e ',
    '-e A=',
    '-p 1:',
    '--a ',
    '-----BEGIN ',
    'sk-',
    'hf_',
    '[:a',
    '*a',
    '**/',
    '**/a/',
  ],
  ...[
    'token="',
    'token=[ ',
    'code = ',
    'Bearer ',
    'password ',
    'manifest ',
    'install ',
    'Match ',
    'SHA256:',
    '{"a":',
    '[{"a',
    '"a",',
  ],
];
/** The text before the repeated part, and after it, so that a pattern begins and then fails. */
const around: readonly (readonly [string, string])[] = [
  ['', '\u0001'],
  ['1a="[', '!\n'],
];

function repeated(part: string, length: number, [before, after]: readonly [string, string]): string {
  return before + part.repeat(Math.ceil(length / part.length)).slice(0, length) + after;
}

/** The time of the processor, since other programs take the rest. */
function milliseconds(work: () => unknown): number {
  const before = process.cpuUsage();
  try {
    work();
  } catch {
    // A refusal is an answer, too.
  }
  return process.cpuUsage(before).user / 1000;
}

/** True if four times the text takes much more than four times the time: a square takes sixteen times. */
function isSlow(work: (length: number) => unknown, length: number, allowedMs: number): boolean {
  if (milliseconds(() => work(length)) < allowedMs) {
    return false;
  }
  const best = (of: number) => Math.min(...[1, 2, 3].map(() => milliseconds(() => work(of))));
  // What the collection of garbage costs now and then is not there three times.
  return [1, 2, 3].every(() => {
    const long = best(length);
    return long >= allowedMs && long > 9 * best(length / 4);
  });
}

const document = (fields: object) => JSON.stringify({ name: 'n', image: 'i:1', runtype: 'ssh', ...fields });
const workspace = (fields: object) => JSON.stringify({ image: 'i:1', maxPricePerHour: 1, ...fields });
const job = (fields: object) =>
  JSON.stringify({
    jobs: { a: { run: 'true', limits: { hours: 1, costDollars: 1 }, outputs: [], ...fields } },
  });
const redactor = new Redactor();
redactor.addSecret('a-secret-of-ours');
const held = new Map([['env.A', { name: 'a', value: 'a-secret-of-ours' }]] as const);

const rules = (exclude: readonly string[]) => ({ include: [], exclude, git: false, maxMb: 1, maxFiles: 1 });

/** Everything that reads a text of a machine, the service, a repository, a template, an agent or a page. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'the log of a job': plainLog,
  'a label': plainLabel,
  'a line of a tooltip': (text) => markdownLines([text, ['a', text]]),
  'what is redacted': (text) => redactor.redact(text),
  'what is made impersonal': (text) => impersonal(text, { home: '/home/someone', userName: 'someone' }),
  'the name of a file': (text) => safeFileName(text, 'a'),
  'a name on a machine': remoteName,
  'words of ssh': plainText,
  'a refusal of ssh': hostKeyErrorOf,
  'files that ssh read': (text) => filesRead({ stderr: text }),
  'a path in a message of ssh': unescaped,
  'a config of ssh': findBlock,
  'host keys in a log': printedHostKeys,
  'the proof of a machine': (text) => parseProof(text, 0),
  'a public key': parsePublicKey,
  'a line of a list of hashes': hashOf,
  'a record of a list of files': (text) => parseRecord(Buffer.from(text)),
  'an address of a repository': parseRepositoryUrl,
  'a file that is run': (text) => interpreterFor('tool', text),
  'a script': scriptLines,
  'a packed script': unpackOnstart,
  'a script with a guard': withoutGuard,
  'secrets in a script': scriptSecrets,
  'files that a script names': namedFiles,
  'a set-up': (setup) => setupKey({ setup, workdir: '.' }, '/nonexistent', [], undefined),
  // A longer one is refused where the job is read.
  'patterns of outputs': (text) => [findWords(text), matcherOf([text.slice(0, 1000)])('out/a')],
  'names of outputs': (text) => matcherOf(['out/**', '*.a*b', '[!a-c]*'])(text),
  'names that are sent': (text) =>
    sentNames([text.slice(0, 255)], rules(['*a*a*b', '**/a/**/b', '*1*.*']), {
      outputFolders: [],
      workdir: '.',
    }),
  'a name of a GPU': (gpuName) => hostFiles([{ alias: 'gpu-1', gpuName }], ''),
  'flags of an environment': (text) => [parseEnvFlags(text), replaceValues(text, () => 'x')],
  'an environment': (text) => [
    readEnv(text),
    readEnv([text, ['A', text]]),
    envText({ A: text, [text]: '1' }),
  ],
  'a reference': (text) => [findReference(text), looksSecret('TOKEN', text), looksSecret(text, 'a')],
  'an environment with secrets': (text) => hideEnv(text, held),
  'a template document': findTemplateProblems,
  'the texts of a template document': (text) =>
    findTemplateProblems(document({ onstart: text, env: text, args_str: text, docker_login_pass: text })),
  'a workspace file': parseWorkspaceFile,
  'marks in a workspace file': findInFile,
  'the texts of a workspace file': (text) => findInFile(workspace({ env: text, onStart: text })),
  'a job': (text) => readJob(job({ run: text, setup: text, outputs: [text] }), 'a'),
  'an API key': (text) => readApiKeyDocument(text, () => true),
  'the depth of JSON': tooDeepAt,
  'lines of JSON': (text) =>
    new JsonLines({ line: () => undefined, tooLong: () => undefined, maxBytes: () => 1e9 }).receive(
      Buffer.from(text),
    ),
  'a refusal of the service': codeInText,
  'a typed search': (text) => parseTypedQuery(text),
  'a typed number': (text) => [typedRanges(text, 'least'), readPriceLimit(text), readDiskGb(text)],
  'a typed path': targetProblem,
};

/** Each reader meets a quarter of the parts, another one each; `npm run test:stress` has it meet all, which takes minutes. */
let turn = 0;
function partsNow(): readonly string[] {
  turn += 1;
  const every = sized(4, 1);
  return parts.filter((_, at) => (at + turn) % every === 0);
}

describe('The work on a text of a stranger', () => {
  for (const [name, read] of Object.entries(readers)) {
    it(`grows with its length alone: ${name}`, function () {
      this.timeout(60_000);
      const slow = partsNow().flatMap((part) =>
        around
          .filter((ends) => isSlow((length) => read(repeated(part, length, ends)), 8000, 15))
          .map((ends) => JSON.stringify([part, ...ends])),
      );
      assert.deepEqual(slow, []);
    });
  }

  it('is refused in words for a rule of files with so many stars that a name would need minutes', () => {
    for (const rule of ['*a*a*a*a*b', 'x/*1*2*3*4/y', '**/a/**/b/**/c/**/d', '!*a*a*a*a']) {
      assert.throws(
        () => sentNames(['a'], rules(['*.pyc', rule]), { outputFolders: [], workdir: '.' }),
        (error: Error) => error.message.startsWith(`The rule ${rule} has too many stars.`),
      );
    }
    const kept = [
      '*.py[cod]',
      '**/*.[Ll]og',
      '*-*.*',
      'a/**/b/**/c/**',
      '# *a*a*a*a*a',
      '*- [Bb]ackup (*).rdl',
    ];
    assert.deepEqual(sentNames(['x'], rules(kept), { outputFolders: [], workdir: '.' }).names, ['x']);
  });

  it('grows with its length alone in each pattern of the product', function () {
    this.timeout(120_000);
    const slow = patternsOf(path.join(__dirname, '../../src')).filter(({ pattern }) =>
      partsNow().some((part) =>
        around.some((ends) =>
          isSlow((length) => [...repeated(part, length, ends).matchAll(pattern)].length, 4000, 6),
        ),
      ),
    );
    // Formats numbers of at most 30 digits.
    const allowed = ['model/money.ts'];
    const found = slow.map(({ file, pattern }) => `${file}: ${String(pattern)}`);
    assert.deepEqual(
      found.filter((one) => !allowed.some((file) => one.startsWith(file))),
      [],
    );
  });
});

/** Returns all literal patterns of the product, each to be tried at every place of a text. */
function patternsOf(root: string): readonly { readonly file: string; readonly pattern: RegExp }[] {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts') && !file.startsWith('simulator'))
    .flatMap((file) => {
      const source = ts.createSourceFile(
        file,
        readFileSync(path.join(root, file), 'utf8'),
        ts.ScriptTarget.ES2022,
      );
      const found: { file: string; pattern: RegExp }[] = [];
      const visit = (node: ts.Node): void => {
        if (ts.isRegularExpressionLiteral(node)) {
          const end = node.text.lastIndexOf('/');
          const flags = node.text.slice(end + 1);
          const pattern = new RegExp(node.text.slice(1, end), flags.includes('g') ? flags : `${flags}g`);
          found.push({ file, pattern });
        }
        ts.forEachChild(node, visit);
      };
      visit(source);
      return found;
    });
}
