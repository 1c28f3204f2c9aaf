import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  documentChanges,
  DocumentError,
  documentFields,
  fieldOfRefusal,
  MissingSecretError,
  parseDocument,
  referencesIn,
  renderDocument,
  wireChanges,
  wireTemplate,
} from '../../../../src/model/templates/templateDocument';
import { fieldOrder, serviceFields } from '../../../../src/model/templates/templateFields';
import { makeReference, type HeldReferences } from '../../../../src/model/templates/templateReference';

const noSecrets = () => undefined;

/** A record in every shape that the service may send (service-facts 3.3, Quirks 5 and 22). */
const words = fc.string({ unit: 'binary', maxLength: 20 });
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 4 });
const looseFlag = fc.constantFrom<unknown>(true, false, 0, 1, 'true', 'false', null, undefined);
const filters = fc.dictionary(
  fc.constantFrom('gpu_name', 'num_gpus', 'reliability', 'zz'),
  fc.dictionary(
    fc.constantFrom('eq', 'gte', 'in'),
    fc.oneof(fc.integer(), words, fc.array(words, { maxLength: 3 })),
    { maxKeys: 2 },
  ),
);
/** A value as somebody may quote it for a shell. */
const quoted = words.chain((value) =>
  fc.constantFrom(
    `"${value.replaceAll(/["\\\\$`]/g, '\\\\$&')}"`,
    `'${value.replaceAll("'", '')}'`,
    value.replaceAll(/[^\w./:=-]/g, '') || 'x',
  ),
);
const variableName = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/);
const port = fc.integer({ min: 1, max: 65535 });
/** One flag of an environment as text, in every way in which it can be written. */
const flag = fc.oneof(
  fc
    .tuple(fc.constantFrom('-e ', '-e', '--env ', '--env=', '-e  '), variableName, quoted)
    .map(([start, name, value]) => `${start}${name}=${value}`),
  fc
    .tuple(
      fc.constantFrom('-p ', '-p', '--publish ', '--publish='),
      port,
      port,
      fc.constantFrom('', '/udp', '/tcp'),
    )
    .map(([start, host, container, protocol]) => `${start}${host}:${container}${protocol}`),
  fc.constantFrom('--ipc=host', '-h name', '--shm-size 1g', '-v /a:/b'),
);
/** The three shapes of an environment, and texts that none of them can hold (service-facts: Quirk 22). */
const envs = fc.oneof(
  fc.array(flag, { maxLength: 5 }).map((flags) => flags.join(' ')),
  fc.constantFrom('', '-e A=1 -e A=2', `-e Q="it's" -p 1:1/udp`, '-e broken', 'stray', '-e "open', '-p 1'),
  fc.dictionary(words, fc.oneof(words, fc.integer(), fc.boolean(), fc.constant(null)), { maxKeys: 3 }),
  fc.dictionary(variableName, words, { maxKeys: 4 }),
  fc.array(fc.tuple(fc.oneof(words, variableName), words), { maxLength: 3 }),
  fc.array(
    fc.tuple(variableName, words).map(([name, value]) => `${name}=${value}`),
    { maxLength: 3 },
  ),
  fc.constant(null),
);
const record = fc
  .record(
    {
      id: fc.integer({ min: 1, max: 1e9 }),
      hash_id: fc.stringMatching(/^[0-9a-f]{32}$/),
      name: words,
      image: words,
      tag: maybe(words),
      desc: maybe(words),
      readme: maybe(words),
      env: envs,
      onstart: maybe(words),
      runtype: maybe(fc.constantFrom('ssh', 'jupyter', 'args', 'ssh ssh_direc ssh_proxy', '')),
      args_str: maybe(words),
      ssh_direct: looseFlag,
      use_ssh: looseFlag,
      jup_direct: looseFlag,
      use_jupyter_lab: looseFlag,
      jupyter_dir: maybe(words),
      docker_login_repo: maybe(words),
      docker_login_user: maybe(words),
      docker_login_pass: maybe(words),
      extra_filters: fc.oneof(
        filters,
        filters.map((value) => JSON.stringify(value)),
        filters.map((value) => JSON.stringify(value, null, 2)),
        fc.constantFrom(null, '', '{}', 'null', '[]', '{broken'),
      ),
      recommended_disk_space: fc.constantFrom<unknown>(8, '16', 32.5, null, ''),
      private: looseFlag,
      volume_info: fc.constantFrom<unknown>(null, {}, { mount_path: '/data' }, '{"size":10}'),
      created_at: fc.double({ noNaN: true, noDefaultInfinity: true }),
      recommended: looseFlag,
      surprise: fc.jsonValue(),
    },
    { requiredKeys: ['id', 'hash_id', 'name', 'image'] },
  )
  .map((value): Record<string, unknown> => JSON.parse(JSON.stringify(value)) as Record<string, unknown>);

/** The text as saved, read without the checks for name and image, which any record may lack. */
const reread = (text: string) => JSON.parse(text) as Record<string, unknown>;

describe('the document of a template', () => {
  it('sends nothing when it is saved as it was opened, whatever the service sent', () => {
    fc.assert(
      fc.property(record, (raw) => {
        const fields = documentFields(raw);
        const changes = documentChanges(fields, reread(renderDocument(fields)));
        assert.deepEqual([...changes], []);
      }),
      { numRuns: 500 },
    );
  });

  it('sends the one field that was edited, and nothing else', () => {
    const edits: Record<string, unknown> = {
      name: 'another name',
      desc: 'another line',
      image: 'another/image',
      onstart: 'echo another',
      env: { ANOTHER: 'value' },
      extra_filters: { another: { eq: 1 } },
      recommended_disk_space: 77,
      volume_info: { another: 1 },
      docker_login_pass: 'another',
      runtype: 'another',
      readme: 'another text',
    };
    fc.assert(
      fc.property(record, fc.constantFrom(...Object.keys(edits)), (raw, name) => {
        const fields = documentFields(raw);
        const edited = { ...reread(renderDocument(fields)), [name]: edits[name] };
        const body = wireChanges(documentChanges(fields, edited), noSecrets);
        assert.deepEqual(Object.keys(body), [name]);
        assert.deepEqual(body[name], name === 'env' ? '-e ANOTHER=value' : edits[name]);
      }),
      { numRuns: 500 },
    );
  });

  it('sends the environment, and nothing else, when one variable of it was edited', () => {
    fc.assert(
      fc.property(record, variableName, words, (raw, name, value) => {
        const fields = documentFields(raw);
        const { env } = fields;
        fc.pre(typeof env !== 'string');
        const before = (env ?? {}) as Readonly<Record<string, string>>;
        fc.pre(before[name] !== value);
        const edited = { ...fields, env: { ...before, [name]: value } };
        const body = wireChanges(documentChanges(fields, edited), noSecrets);
        assert.deepEqual(Object.keys(body), ['env']);
        // What the service then has is what the document says.
        const saved = documentFields({ ...raw, ...body });
        assert.deepEqual([...documentChanges(edited, saved)], []);
      }),
      { numRuns: 500 },
    );
  });

  it('sends the filters as an object, and nothing else, when one of them was edited', () => {
    fc.assert(
      fc.property(record, fc.integer(), (raw, count) => {
        const fields = documentFields(raw);
        const before = fields['extra_filters'];
        fc.pre(before === undefined || typeof before === 'object');
        const edited = { ...fields, extra_filters: { ...(before as object), num_gpus: { neq: count } } };
        for (const written of [edited.extra_filters, JSON.stringify(edited.extra_filters)]) {
          const changes = documentChanges(fields, { ...fields, extra_filters: written });
          assert.deepEqual(wireChanges(changes, noSecrets), { extra_filters: edited.extra_filters });
        }
      }),
      { numRuns: 500 },
    );
  });

  it('shows no field of the service and never a registry password', () => {
    fc.assert(
      fc.property(record, fc.stringMatching(/^[a-zXYZ0-9]{12,20}$/), (raw, password) => {
        const fields = documentFields({ ...raw, surprise: null, docker_login_pass: password });
        assert.deepEqual(
          Object.keys(fields).filter((name) => serviceFields.has(name)),
          [],
        );
        assert.ok(!renderDocument(fields).includes(password));
        assert.equal(fields['docker_login_pass'], makeReference(`registry-${Number(raw['id'])}`));
      }),
    );
  });

  it('is laid out as a person would write it', () => {
    const raw = {
      readme: 'Long',
      private: false,
      id: 7,
      hash_id: 'abc',
      env: '-e HF_HOME=/workspace -p 8080:8080',
      extra_filters: '{"num_gpus":{"eq":2}}',
      recommended_disk_space: '16',
      name: 'PyTorch',
      image: 'pytorch/pytorch',
      tag: null,
      ssh_direct: 1,
      use_ssh: false,
      desc: '',
      docker_login_repo: null,
      count_created: 12,
      zone: 'eu',
    };
    assert.equal(
      renderDocument(documentFields(raw)),
      `{
  "name": "PyTorch",
  "image": "pytorch/pytorch",
  "ssh_direct": true,
  "env": {
    "HF_HOME": "/workspace",
    "-p 8080:8080": "1"
  },
  "recommended_disk_space": 16,
  "extra_filters": {
    "num_gpus": {
      "eq": 2
    }
  },
  "docker_login_repo": "",
  "docker_login_user": "",
  "docker_login_pass": "",
  "private": false,
  "readme": "Long",
  "zone": "eu"
}
`,
    );
    const keys = Object.keys(documentFields(raw)).filter((key) => key !== 'zone');
    assert.deepEqual(
      keys,
      fieldOrder.filter((name) => keys.includes(name)),
    );
  });

  it('treats the same environment in another form as unchanged, and another order as changed', () => {
    const base = documentFields({ id: 1, env: '-e A=1 -e B=2' });
    assert.equal(documentChanges(base, { ...base, env: '-e A="1"   --env B=2' }).size, 0);
    assert.deepEqual([...documentChanges(base, { ...base, env: '-e B=2 -e A=1' }).keys()], ['env']);
  });

  it('resets a field whose key was deleted to the documented default', () => {
    const base = documentFields({
      id: 1,
      name: 'n',
      image: 'i',
      tag: '12',
      desc: 'x',
      env: '-e A=1',
      private: false,
      jupyter_dir: '/w',
      recommended_disk_space: 20,
      extra_filters: { a: { eq: 1 } },
      use_ssh: true,
    });
    const kept = {
      name: 'n',
      image: 'i',
      docker_login_repo: '',
      docker_login_user: '',
      docker_login_pass: '',
    };
    assert.deepEqual(wireChanges(documentChanges(base, kept), noSecrets), {
      tag: 'latest',
      desc: '',
      env: '',
      private: true,
      jupyter_dir: null,
      recommended_disk_space: 8,
      extra_filters: {},
      use_ssh: false,
    });
  });

  it('never sends a field that the service sets', () => {
    const base = documentFields({ id: 1, name: 'n', image: 'i' });
    assert.equal(documentChanges(base, { ...base, id: 99, hash_id: 'x', recommended: true }).size, 0);
    const created = wireTemplate({ ...base, id: 99 }, noSecrets);
    assert.ok(!('id' in created));
  });

  it('creates a private template with empty registry fields unless the document says otherwise', () => {
    assert.deepEqual(wireTemplate({ name: 'n', image: 'i', env: { A: 'b c' } }, noSecrets), {
      name: 'n',
      image: 'i',
      docker_login_repo: '',
      docker_login_user: '',
      docker_login_pass: '',
      private: true,
      env: '-e A="b c"',
    });
    assert.equal(wireTemplate({ name: 'n', image: 'i', private: false }, noSecrets)['private'], false);
  });
});

describe('secrets in a template document', () => {
  const held: HeldReferences = new Map([
    ['docker_login_pass', { name: 'my-registry', value: 'pw-123456' }],
    ['env.HF_TOKEN', { name: 'hf-7', value: 'hf_secret' }],
  ]);
  const raw = {
    id: 7,
    name: 'n',
    image: 'i',
    docker_login_repo: 'ghcr.io',
    docker_login_user: 'me',
    docker_login_pass: 'pw-123456',
    env: '-e HF_TOKEN=hf_secret -e OTHER=x',
  };
  const lookUp = (name: string) => ({ 'my-registry': 'pw-123456', 'hf-7': 'hf_secret', fresh: 'new' })[name];

  it('are references that a round trip keeps', () => {
    const fields = documentFields(raw, held);
    assert.deepEqual(fields['env'], { HF_TOKEN: '${secret:hf-7}', OTHER: 'x' });
    assert.equal(fields['docker_login_pass'], '${secret:my-registry}');
    assert.equal(documentChanges(fields, parseDocument(renderDocument(fields))).size, 0);
    assert.deepEqual(
      [...referencesIn(fields)],
      [
        ['docker_login_pass', 'my-registry'],
        ['env.HF_TOKEN', 'hf-7'],
      ],
    );
  });

  it('are sent by value when something beside them changes', () => {
    const fields = documentFields(raw, held);
    const edited = { ...fields, env: { ...(fields['env'] as object), OTHER: 'y' } };
    assert.deepEqual(wireChanges(documentChanges(fields, edited), lookUp), {
      env: '-e HF_TOKEN=hf_secret -e OTHER=y',
    });
    const other = { ...fields, docker_login_pass: '${secret:fresh}' };
    assert.deepEqual(wireChanges(documentChanges(fields, other), lookUp), { docker_login_pass: 'new' });
  });

  it('are resolved in flag text as well, and other flag text is sent byte for byte', () => {
    const fields = documentFields(raw, held);
    const sent = (env: string) => wireChanges(documentChanges(fields, { ...fields, env }), lookUp)['env'];
    assert.equal(sent("-e HF_TOKEN='${secret:hf-7}' -e Z=1"), '-e HF_TOKEN=hf_secret -e Z=1');
    assert.equal(sent(`-e   Z='1'`), `-e   Z='1'`);
  });

  it('are hidden in an environment that only flag text can hold', () => {
    const fields = documentFields({ ...raw, env: '-e HF_TOKEN=hf_secret -e A=1 -e A=2' }, held);
    assert.equal(fields['env'], '-e HF_TOKEN=${secret:hf-7} -e A=1 -e A=2');
  });

  it('are shown in clear where the service holds another value than this computer', () => {
    const fields = documentFields({ ...raw, env: '-e HF_TOKEN=other' }, held);
    assert.deepEqual(fields['env'], { HF_TOKEN: 'other' });
  });

  it('stop a save when their value is not on this computer', () => {
    const fields = documentFields(raw, held);
    const edited = { ...fields, env: { A: '${secret:elsewhere}' } };
    assert.throws(
      () => wireChanges(documentChanges(fields, edited), lookUp),
      (error) =>
        error instanceof MissingSecretError &&
        error.reference === 'elsewhere' &&
        error.path.join('.') === 'env.A',
    );
  });
});

describe('reading the text of a document', () => {
  const path = (source: string) => {
    try {
      parseDocument(source);
    } catch (error) {
      assert.ok(error instanceof DocumentError);
      return error.path.join('.');
    }
    return undefined;
  };

  it('names the place of what it cannot save', () => {
    assert.equal(path('{ "name": '), '');
    assert.equal(path('[]'), '');
    assert.equal(path('{"image":"i"}'), 'name');
    assert.equal(path('{"name":"n","image":"  "}'), 'image');
    assert.equal(path('{"name":"n","image":"i","recommended_disk_space":"much"}'), 'recommended_disk_space');
    assert.equal(path('{"name":5,"image":"i"}'), 'name');
    assert.equal(path('{"name":"n","image":"i"}'), undefined);
  });

  it('keeps fields that nobody documented', () => {
    assert.deepEqual(parseDocument('{"name":"n","image":"i","x":{"y":1}}')['x'], { y: 1 });
  });
});

describe('the line of a refused save', () => {
  it('is the field that the service names, or the only one sent', () => {
    assert.equal(fieldOfRefusal('env: invalid flag', ['name', 'env']), 'env');
    assert.equal(fieldOfRefusal('Invalid image path', ['name', 'desc']), 'image');
    assert.equal(fieldOfRefusal('Nothing to see', ['desc']), 'desc');
    assert.equal(fieldOfRefusal('Nothing to see', ['desc', 'tag']), undefined);
    assert.equal(fieldOfRefusal('environment is broken', ['desc', 'env']), undefined);
  });
});
