import assert from 'node:assert/strict';
import {
  documentChanges,
  DocumentError,
  documentFields,
  parseDocument,
  referencesIn,
  renderDocument,
  secretsInPublic,
} from '../../../../src/model/templates/templateDocument';
import { fieldOrder } from '../../../../src/model/templates/templateFields';
import type { HeldReferences } from '../../../../src/model/templates/templateReference';
import {
  fieldOfRefusal,
  MissingSecretError,
  wireChanges,
  wireTemplate,
} from '../../../../src/model/templates/templateWire';

const noSecrets = () => undefined;

describe('the document of a template', () => {
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

  it('creates a private template with empty registry fields unless the document sets others', () => {
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
    const env = '-p 80:80 \\\n -e A=1 \\\r\n--ipc=host';
    assert.equal(
      wireTemplate({ name: 'n', image: 'i', env }, noSecrets)['env'],
      '-p 80:80 -e A=1 --ipc=host',
    );
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

  it('are resolved and hidden again in flag text that no object can hold, and the rest of it stays', () => {
    const quoted: HeldReferences = new Map([['env.T', { name: 'q', value: `it's "$5"` }]]);
    const values = (name: string) => (name === 'q' ? `it's "$5"` : lookUp(name));
    for (const rest of [' -e A=1 -p 8080', " -e A=1   -e A='2'", ' stray', ' -e B="not closed']) {
      const shown = (env: string, by: HeldReferences) => documentFields({ ...raw, env }, by)['env'];
      const sent = (env: string) => wireChanges(new Map([['env', env]]), values)['env'];
      assert.equal(sent('-e HF_TOKEN=${secret:hf-7}' + rest), '-e HF_TOKEN=hf_secret' + rest);
      assert.equal(shown('-e HF_TOKEN=hf_secret' + rest, held), '-e HF_TOKEN=${secret:hf-7}' + rest);
      const escaped = `-e T="it's \\"\\$5\\""${rest}`;
      assert.equal(sent("-e T='${secret:q}'" + rest), escaped);
      assert.equal(shown(escaped, quoted), "-e T='${secret:q}'" + rest);
      assert.deepEqual(
        [...referencesIn({ env: '-e HF_TOKEN=${secret:hf-7}' + rest })],
        [['env.HF_TOKEN', 'hf-7']],
      );
    }
  });

  it('stop a save where they are not the value of a variable that is set once', () => {
    const places: unknown[] = [
      '-e HF_TOKEN="${secret:hf-7}',
      '-e HF_TOKEN=x${secret:hf-7}',
      '-e -e HF_TOKEN=${secret:hf-7}',
      '-v ${secret:hf-7} -e HF_TOKEN=${secret:hf-7}',
      '-e HF_TOKEN=${secret:hf-7} -e HF_TOKEN=${secret:fresh}',
      { HF_TOKEN: 'x${secret:hf-7}' },
      { '-e "HF_TOKEN=${secret:hf-7}': '1' },
    ];
    for (const env of places) {
      assert.throws(
        () => wireChanges(new Map([['env', env]]), lookUp),
        (error) =>
          error instanceof DocumentError &&
          !(error instanceof MissingSecretError) &&
          error.message.includes('${secret:hf-7}') &&
          error.path.join('.') === 'env',
        JSON.stringify(env),
      );
      assert.equal(secretsInPublic({ private: false, env }).length > 0, true, JSON.stringify(env));
    }
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

  it('names the place of what it can’t save', () => {
    assert.equal(path('{ "name": '), '');
    assert.equal(path('[]'), '');
    assert.equal(path('{"image":"i"}'), 'name');
    assert.equal(path('{"name":"n","image":"  "}'), 'image');
    assert.equal(path('{"name":"n","image":"i","recommended_disk_space":"much"}'), 'recommended_disk_space');
    assert.equal(path('{"name":5,"image":"i"}'), 'name');
    assert.equal(path('{"name":"n","image":"i"}'), undefined);
  });

  it('leaves alone what the service sent and the user did not edit', () => {
    const base = documentFields({ id: 1, name: '', image: 'i', extra_filters: { gpu: { like: null } } });
    const edited = (changes: object) => renderDocument({ ...base, ...changes });
    assert.equal(parseDocument(edited({ desc: 'x' }), base)['desc'], 'x');
    assert.throws(() => parseDocument(edited({ desc: 5 }), base), DocumentError);
    assert.throws(
      () => parseDocument(edited({ extra_filters: { gpu: { like: 1 } } }), base),
      (error) => error instanceof DocumentError && error.path[0] === 'extra_filters',
    );
  });

  it('keeps undocumented fields', () => {
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
