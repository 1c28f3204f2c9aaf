import { JsonTooDeepError } from '../../util/json';
import { scriptLines } from '../../util/scriptLines';
import { text } from '../../util/text';
import type { TemplateRecordField } from '../../wire/template';
import { checkEnvironment } from '../documents/environmentDiagnostics';
import type { Finding } from '../documents/finding';
import { JsonPlaces } from '../documents/jsonPlaces';
import { checkScriptSecrets } from '../documents/scriptDiagnostics';
import { leastEnd, longestEnd } from '../rentals/agreedEnd';
import { endVariables, ignoredEnds } from './templateEnd';
import { isTemplateField, requiredFields, serviceFields, templateRuntypes } from './templateFields';
import { edit } from './templateFixes';
import { hasTag } from './templateMerge';
import { referenceName } from './templateReference';

/** See docs/service/limits.md#sizes. */
const onstartLimit = 4048;

/** The input that the checks share. */
interface Subject {
  readonly places: JsonPlaces;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly runtype: string;
}

const stringField = (subject: Subject, name: string): string => {
  const value = subject.fields[name];
  return typeof value === 'string' ? value : '';
};

function* checkRequired({ places, fields }: Subject): Iterable<Finding> {
  for (const name of requiredFields) {
    const value = fields[name];
    const mayBeEmpty = name !== 'name' && name !== 'image';
    if (value === undefined) {
      yield {
        code: 'required',
        severity: 'error',
        span: { offset: places.root?.offset ?? 0, length: 1 },
        message: mayBeEmpty
          ? text('"{0}" is missing. Use an empty text if you have no private registry.', name)
          : text('"{0}" is missing.', name),
        fixes: [edit(text('Add "{0}"', name), places.set(name, ''), true)],
      };
    } else if (!mayBeEmpty && typeof value === 'string' && value.trim() === '') {
      yield {
        code: 'required',
        severity: 'error',
        span: places.nearest([name]),
        message: text('"{0}" is empty.', name),
        fixes: [],
      };
    }
  }
}

function* checkKeys({ places }: Subject): Iterable<Finding> {
  for (const { name, span } of places.keys()) {
    if (serviceFields.has(name)) {
      yield {
        code: 'serviceField',
        severity: 'warning',
        span,
        message: text('"{0}" is set by the service and is not sent.', name),
        fixes: [edit(text('Remove {0}', name), places.remove([name]), true)],
      };
    } else if (!isTemplateField(name)) {
      yield {
        code: 'unknownField',
        severity: 'information',
        span,
        message: text('"{0}" is not a documented field. It is kept, and sent if you change it.', name),
        fixes: [edit(text('Remove {0}', name), places.remove([name]))],
      };
    }
  }
}

function* checkImage(subject: Subject): Iterable<Finding> {
  const image = stringField(subject, 'image').trim();
  const tag = stringField(subject, 'tag');
  const { places } = subject;
  if (image !== '' && !hasTag(image) && tag === '') {
    yield {
      code: 'imageWithoutTag',
      severity: 'information',
      span: places.nearest(['image']),
      message: text('Without a tag, the image uses "latest", which can change at any time.'),
      fixes: [edit(text('Add "tag": "latest"'), places.set('tag', 'latest'))],
    };
  }
  if (hasTag(image) && tag !== '' && !image.endsWith(`:${tag}`)) {
    yield {
      code: 'twoTags',
      severity: 'warning',
      span: places.nearest(['tag']),
      message: text('The image already names a tag, and "tag" names another one.'),
      fixes: [edit(text('Remove {0}', 'tag'), places.remove(['tag']), true)],
    };
  }
}

/** The run types in which each flag has an effect. */
const flagsOfRuntype: readonly {
  readonly flag: TemplateRecordField;
  readonly runtypes: readonly string[];
}[] = [
  { flag: 'ssh_direct', runtypes: ['ssh', 'jupyter'] },
  { flag: 'use_ssh', runtypes: ['ssh', 'jupyter'] },
  { flag: 'jup_direct', runtypes: ['jupyter'] },
  { flag: 'use_jupyter_lab', runtypes: ['jupyter'] },
  { flag: 'jupyter_dir', runtypes: ['jupyter'] },
  { flag: 'args_str', runtypes: ['args'] },
];

function* checkRuntype(subject: Subject): Iterable<Finding> {
  const { places, fields, runtype } = subject;
  if (!(templateRuntypes as readonly string[]).includes(runtype)) {
    yield {
      code: 'runtypeUnknown',
      severity: 'warning',
      span: places.nearest(['runtype']),
      message: text('"{0}" is not a documented run type. Use ssh, jupyter or args.', runtype),
      fixes: templateRuntypes.map((name) => edit(text('Use {0}', name), places.set('runtype', name))),
    };
    return;
  }
  for (const { flag, runtypes } of flagsOfRuntype) {
    const value = fields[flag];
    if (
      value === undefined ||
      value === false ||
      value === '' ||
      value === null ||
      runtypes.includes(runtype)
    ) {
      continue;
    }
    const [wanted = 'ssh'] = runtypes;
    yield {
      code:
        flag === 'args_str'
          ? 'argsOutsideArgs'
          : flag.startsWith('jup') || flag === 'use_jupyter_lab'
            ? 'jupyterOutsideJupyter'
            : 'runtypeMismatch',
      severity: 'warning',
      span: places.keySpan([flag]) ?? places.nearest([flag]),
      message: text('"{0}" has no effect with run type {1}.', flag, runtype),
      fixes: [
        edit(text('Remove {0}', flag), places.remove([flag]), true),
        edit(text('Use run type {0}', wanted), places.set('runtype', wanted)),
      ],
    };
  }
  const direct = runtype === 'ssh' ? 'ssh_direct' : runtype === 'jupyter' ? 'jup_direct' : undefined;
  if (direct !== undefined && fields[direct] !== true) {
    yield {
      code: 'runtypeMismatch',
      severity: 'information',
      span: places.nearest(['runtype']),
      message: text(
        'Run type {0} without "{1}" connects through the proxy, which is slower.',
        runtype,
        direct,
      ),
      fixes: [edit(text('Set "{0}" to true', direct), places.set(direct, true), true)],
    };
  }
  if (runtype === 'ssh' && fields['use_ssh'] === false) {
    yield {
      code: 'runtypeMismatch',
      severity: 'warning',
      span: places.nearest(['use_ssh']),
      message: text('Run type ssh needs "use_ssh" to be on.'),
      fixes: [edit(text('Set "{0}" to true', 'use_ssh'), places.set('use_ssh', true), true)],
    };
  }
}

function* checkScript(subject: Subject): Iterable<Finding> {
  const { places, runtype } = subject;
  const onstart = stringField(subject, 'onstart');
  if (onstart.length > onstartLimit) {
    yield {
      code: 'onstartLong',
      severity: 'warning',
      span: places.nearest(['onstart']),
      message: text(
        'The script has {0} characters. Scripts of more than {1} are compressed when renting.',
        onstart.length,
        onstartLimit,
      ),
      fixes: [],
    };
  }
  const mended = scriptLines(onstart);
  if (mended !== onstart) {
    yield {
      code: 'scriptLineEnds',
      severity: 'warning',
      span: places.nearest(['onstart']),
      message: text(
        'The script has line ends of Windows or a byte order mark. A shell on the machine fails at them.',
      ),
      fixes: [edit(text('Use Line Ends of the Machine'), places.replace(['onstart'], mended), true)],
    };
  }
  if ((runtype === 'ssh' || runtype === 'jupyter') && onstart.trim() === '') {
    yield {
      code: 'onstartMissing',
      severity: 'information',
      span: places.nearest(['runtype']),
      message: text(
        'Run type {0} replaces the entrypoint of the image. Without "onstart", its application does not start by itself.',
        runtype,
      ),
      fixes: [
        edit(text('Add "onstart"'), places.set('onstart', 'env >> /etc/environment\n')),
        edit(text('Use run type {0}', 'args'), places.set('runtype', 'args')),
      ],
    };
  }
}

/** Arguments of the program, in which no shell puts the value of a variable. */
const args = 'args_str';

function checkSecretsInScripts({ places, fields }: Subject): Iterable<Finding> {
  return ['onstart', args].flatMap((name) => [
    ...checkScriptSecrets(places, [name], {
      hasEnv: name !== args,
      ...(fields['private'] === false
        ? {
            severity: 'error',
            message: text('"{0}" looks like a secret, and this template is visible to everyone.', name),
            fixes: [edit(text('Make the template private'), places.set('private', true))],
          }
        : {
            severity: 'warning',
            message: text(
              'This contains what looks like a secret in plain text. Move it to "env" if the program can read it there.',
            ),
          }),
    }),
  ]);
}

function* checkRegistry(subject: Subject): Iterable<Finding> {
  const { places } = subject;
  const password = stringField(subject, 'docker_login_pass');
  if (password !== '' && referenceName(password) === undefined) {
    yield {
      code: 'registryPasswordInClear',
      severity: 'warning',
      span: places.nearest(['docker_login_pass']),
      message: text(
        'Registry password in plain text. Move it to the secret store, because backups and searches read this file.',
      ),
      fixes: [
        {
          title: text('Move to Secrets'),
          preferred: true,
          action: { kind: 'moveToSecrets', slot: 'docker_login_pass', path: ['docker_login_pass'] },
        },
      ],
    };
  }
  const parts = ['docker_login_repo', 'docker_login_user', 'docker_login_pass'];
  const filled = parts.filter((name) => stringField(subject, name).trim() !== '');
  if (filled.length > 0 && filled.length < parts.length) {
    const missing = parts.filter((name) => !filled.includes(name) && subject.fields[name] !== undefined);
    for (const name of missing) {
      yield {
        code: 'registryIncomplete',
        severity: 'information',
        span: places.nearest([name]),
        message: text(
          'Signing in to a private registry requires an address, a user and a password. "{0}" is empty.',
          name,
        ),
        fixes: [],
      };
    }
  }
}

function* checkVolume({ places, fields }: Subject): Iterable<Finding> {
  if (fields['volume_info'] !== undefined && fields['volume_info'] !== null) {
    yield {
      code: 'volumeHint',
      severity: 'information',
      span: places.keySpan(['volume_info']) ?? places.nearest(['volume_info']),
      message: text('"volume_info" is a hint for the web console only. Choose the volume when renting.'),
      fixes: [],
    };
  }
}

function* checkEnd({ places, fields }: Subject): Iterable<Finding> {
  for (const key of ignoredEnds(fields['env'])) {
    const name = endVariables[key];
    yield {
      code: 'endIgnored',
      severity: 'warning',
      span: places.keySpan(['env', name]) ?? places.nearest(['env']),
      message: text(
        '"{0}" is ignored. Enter a whole number from {1} to {2}.',
        name,
        leastEnd[key],
        longestEnd[key],
      ),
      fixes: [],
    };
  }
}

const checks = [
  checkRequired,
  checkKeys,
  checkImage,
  checkRuntype,
  checkScript,
  checkSecretsInScripts,
  checkRegistry,
  checkVolume,
  checkEnd,
];

/**
 * Returns all findings on a template document that its schema does not cover. `enteredHere` names the references
 * whose values this computer has; omit it if they are unknown.
 */
export function findTemplateProblems(source: string, enteredHere?: ReadonlySet<string>): readonly Finding[] {
  const places = new JsonPlaces(source);
  if (places.tooDeepAt !== undefined) {
    const span = { offset: places.tooDeepAt, length: 1 };
    return [{ code: 'tooDeep', severity: 'error', span, message: new JsonTooDeepError().text, fixes: [] }];
  }
  const value = places.value([]);
  if (places.root?.type !== 'object' || typeof value !== 'object' || value === null) {
    return [];
  }
  const fields = Object.fromEntries(Object.entries(value));
  const written: unknown = fields['runtype'];
  const runtype = typeof written === 'string' && written !== '' ? written : 'args';
  const subject: Subject = { places, fields, runtype };
  return [
    ...checks.flatMap((check) => [...check(subject)]),
    ...checkEnvironment(places, {
      secrets: 'document',
      visibleToAll: fields['private'] === false ? ['private'] : undefined,
      enteredHere,
    }),
  ].sort((a, b) => a.span.offset - b.span.offset);
}
