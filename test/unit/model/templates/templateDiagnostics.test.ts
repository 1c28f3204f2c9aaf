import assert from 'node:assert/strict';
import { applyChanges } from '../../../../src/model/documents/jsonPlaces';
import type { Finding } from '../../../../src/model/documents/finding';
import { findTemplateProblems } from '../../../../src/model/templates/templateDiagnostics';
import {
  environmentRewrites,
  removeVariable,
  replaceByReference,
} from '../../../../src/model/templates/templateFixes';
import { findWorkspaceProblems } from '../../../../src/model/workspace/workspaceDiagnostics';
import { formatText } from '../../../../src/util/text';

const complete = {
  name: 'n',
  image: 'i:1',
  runtype: 'args',
  docker_login_repo: '',
  docker_login_user: '',
  docker_login_pass: '',
  private: true,
};
const render = (more: Record<string, unknown>) => JSON.stringify({ ...complete, ...more }, null, 2);
const marked = (source: string, { span }: Finding) => source.slice(span.offset, span.offset + span.length);

/** Code, marked text and titles of the fixes of each finding. */
function look(source: string, find = findTemplateProblems) {
  return find(source).map((finding) => [
    finding.code,
    marked(source, finding),
    finding.fixes.map(({ title }) => formatText(title)).join(' / '),
  ]);
}

/** The document after a fix, read again. */
function fixed(source: string, title: string, find = findTemplateProblems): unknown {
  const fix = find(source)
    .flatMap(({ fixes }) => fixes)
    .find((candidate) => formatText(candidate.title) === title);
  assert.ok(fix?.action.kind === 'edit', title);
  return JSON.parse(applyChanges(source, fix.action.changes));
}

describe('the checks of a template document', () => {
  it('find nothing in a sound document', () => {
    assert.deepEqual(look(render({})), []);
  });

  it('miss no required field, and add empty text for the unused registry ones', () => {
    const source = '{\n  "name": "n"\n}\n';
    assert.deepEqual(
      look(source)
        .filter(([code]) => code === 'required')
        .map(([, , fixes]) => fixes),
      ['image', 'docker_login_repo', 'docker_login_user', 'docker_login_pass'].map((name) => `Add "${name}"`),
    );
    assert.deepEqual(fixed(source, 'Add "docker_login_repo"'), { name: 'n', docker_login_repo: '' });
    assert.deepEqual(fixed('{}', 'Add "name"'), { name: '' });
    assert.deepEqual(look(render({ name: ' ' })), [['required', '" "', '']]);
  });

  it('mark an image without a tag, and two tags that disagree', () => {
    const source = render({ image: 'host:5000/pytorch' });
    assert.deepEqual(look(source), [['imageWithoutTag', '"host:5000/pytorch"', 'Add "tag": "latest"']]);
    assert.deepEqual(fixed(source, 'Add "tag": "latest"'), {
      ...complete,
      image: 'host:5000/pytorch',
      tag: 'latest',
    });
    const two = render({ tag: '2' });
    assert.deepEqual(look(two), [['twoTags', '"2"', 'Remove "tag"']]);
    assert.deepEqual(fixed(two, 'Remove "tag"'), complete);
  });

  it('warn about a long start script', () => {
    assert.deepEqual(look(render({ onstart: 'x'.repeat(4048) })), []);
    assert.deepEqual(
      look(render({ onstart: 'x'.repeat(4049) })).map(([code]) => code),
      ['onstartLong'],
    );
  });

  it('compare the run type with the flags that belong to it', () => {
    const ssh = render({ runtype: 'ssh', onstart: 'run' });
    assert.deepEqual(look(ssh), [['runtypeMismatch', '"ssh"', 'Set "ssh_direct" to true']]);
    assert.deepEqual(fixed(ssh, 'Set "ssh_direct" to true'), {
      ...complete,
      runtype: 'ssh',
      onstart: 'run',
      ssh_direct: true,
    });
    const args = render({ ssh_direct: true });
    assert.deepEqual(look(args), [
      ['runtypeMismatch', '"ssh_direct"', 'Remove "ssh_direct" / Use run type ssh'],
    ]);
    assert.deepEqual(fixed(args, 'Use run type ssh'), { ...complete, ssh_direct: true, runtype: 'ssh' });
    const jupyter = render({ runtype: 'jupyter', onstart: 'run', jup_direct: false });
    assert.deepEqual(look(jupyter), [['runtypeMismatch', '"jupyter"', 'Set "jup_direct" to true']]);
    assert.deepEqual(fixed(jupyter, 'Set "jup_direct" to true'), {
      ...complete,
      runtype: 'jupyter',
      onstart: 'run',
      jup_direct: true,
    });
    assert.deepEqual(
      look(render({ runtype: 'other' })).map(([code]) => code),
      ['runtypeUnknown'],
    );
    assert.deepEqual(
      look(render({ runtype: 'ssh', ssh_direct: true, use_ssh: false, onstart: 'x' })).map(([code]) => code),
      ['runtypeMismatch'],
    );
  });

  it('mark arguments outside args and Jupyter fields outside Jupyter', () => {
    const args = render({ runtype: 'ssh', ssh_direct: true, onstart: 'run', args_str: '--port 80' });
    assert.deepEqual(look(args), [
      ['argsOutsideArgs', '"args_str"', 'Remove "args_str" / Use run type args'],
    ]);
    const lab = render({ jupyter_dir: '/w', use_jupyter_lab: true });
    assert.deepEqual(
      look(lab).map(([code, at]) => [code, at]),
      [
        ['jupyterOutsideJupyter', '"jupyter_dir"'],
        ['jupyterOutsideJupyter', '"use_jupyter_lab"'],
      ],
    );
  });

  it('say that the application will not start by itself', () => {
    const source = render({ runtype: 'ssh', ssh_direct: true });
    assert.deepEqual(look(source), [['onstartMissing', '"ssh"', 'Add "onstart" / Use run type args']]);
  });

  it('mark what cannot be read in the environment at its exact place', () => {
    assert.deepEqual(look(render({ env: '-e A=1 -p eighty:80 stray' })), [
      ['portUnreadable', '-p eighty:80', ''],
      ['envUnreadable', 'stray', ''],
    ]);
    assert.deepEqual(
      look(render({ env: '-e A="x" -p 1' })).map(([code, at]) => [code, at]),
      [['portUnreadable', '"-e A=\\"x\\" -p 1"']],
    );
    assert.deepEqual(look(render({ env: { '-p 8080': '1', 'A=B': 'x' } })), [
      ['portUnreadable', '"-p 8080"', ''],
      ['envUnreadable', '"A=B"', ''],
    ]);
    assert.deepEqual(look(render({ env: '-e A=1 -e A=2' })), [['envTwice', '-e A=2', '']]);
    const number = render({ env: { PORT: 80 } });
    assert.deepEqual(look(number), [['envNotText', '80', 'Put it in quotes']]);
    assert.deepEqual(fixed(number, 'Put it in quotes'), { ...complete, env: { PORT: '80' } });
  });

  it('mark a value that looks like a secret, more loudly where everyone can see it', () => {
    const env = { HF_TOKEN: 'hf_abcdefgh', MODEL: 'llama' };
    assert.deepEqual(look(render({ env })), [
      ['secretInClear', '"hf_abcdefgh"', 'Move to Secrets / Make It an Account Secret'],
    ]);
    const open = render({ env, private: false });
    assert.deepEqual(look(open), [
      [
        'secretInPublic',
        '"hf_abcdefgh"',
        'Make the template private / Move to Secrets / Make It an Account Secret',
      ],
    ]);
    assert.deepEqual(fixed(open, 'Make the template private'), { ...complete, env });
  });

  it('move a secret out of a flag text only where an object can hold all of it', () => {
    const token = '-e HF_TOKEN=hf_abcdefgh';
    assert.deepEqual(look(render({ env: token })), [
      ['secretInClear', token, 'Move to Secrets / Make It an Account Secret'],
    ]);
    assert.deepEqual(look(render({ env: `${token} -e A=1 -e A=2` })), [
      ['secretInClear', token, ''],
      ['envTwice', '-e A=2', ''],
    ]);
  });

  it('prefer the secrets of the document, and in a file that is shared those of the account', () => {
    const preferred = (source: string, find = findTemplateProblems) =>
      find(source).flatMap(({ fixes }) =>
        fixes.flatMap(({ title, preferred }) => (preferred === true ? [formatText(title)] : [])),
      );
    const env = { HF_TOKEN: 'hf_abcdefgh' };
    assert.deepEqual(preferred(render({ env })), ['Move to Secrets']);
    const file = JSON.stringify({ image: 'a:1', maxPricePerHour: 1, env });
    assert.deepEqual(preferred(file, findWorkspaceProblems), ['Make It an Account Secret']);
  });

  it('leave a reference alone, but not where everyone can see what it stands for', () => {
    const env = { HF_TOKEN: '${secret:hf}' };
    assert.deepEqual(look(render({ env })), []);
    assert.deepEqual(look(render({ env, private: false })), [
      ['secretInPublic', '"${secret:hf}"', 'Make the template private'],
    ]);
  });

  it('say that a secret was not entered on this computer', () => {
    const source = render({ env: { HF_TOKEN: '${secret:hf}' } });
    const codes = (entered: string[]) =>
      findTemplateProblems(source, new Set(entered)).map(({ code }) => code);
    assert.deepEqual(codes(['hf']), []);
    assert.deepEqual(codes([]), ['secretNotHere']);
  });

  it('mark a registry password in clear and a login that lacks a part', () => {
    const registry = { docker_login_repo: 'ghcr.io', docker_login_user: 'me' };
    assert.deepEqual(look(render({ ...registry, docker_login_pass: 'clear' })), [
      ['registryPasswordInClear', '"clear"', 'Move to Secrets'],
    ]);
    assert.deepEqual(look(render({ ...registry, docker_login_pass: '${secret:r}' })), []);
    assert.deepEqual(
      look(render({ docker_login_repo: 'ghcr.io' })).map(([code]) => code),
      ['registryIncomplete', 'registryIncomplete'],
    );
  });

  it('mark a volume as a hint, fields of the service, and unknown fields', () => {
    const source = render({ volume_info: { size: 1 }, hash_id: 'x', surprise: 1 });
    assert.deepEqual(look(source), [
      ['volumeHint', '"volume_info"', ''],
      ['serviceField', '"hash_id"', 'Remove "hash_id"'],
      ['unknownField', '"surprise"', 'Remove "surprise"'],
    ]);
    assert.deepEqual(fixed(source, 'Remove "hash_id"'), {
      ...complete,
      volume_info: { size: 1 },
      surprise: 1,
    });
  });

  it('say nothing about a text that is no object, which the editor marks itself', () => {
    assert.deepEqual(look(''), []);
    assert.deepEqual(look('[1]'), []);
    assert.doesNotThrow(() => findTemplateProblems('{"env": {"A": , '));
  });
});

describe('the rewritings of a document', () => {
  const envOf = (source: string) => (JSON.parse(source) as { env: unknown }).env;
  const rewritten = (source: string) =>
    environmentRewrites(source).map((fix) =>
      fix.action.kind === 'edit' ? envOf(applyChanges(source, fix.action.changes)) : undefined,
    );

  it('turn an environment into the other form and back', () => {
    assert.deepEqual(rewritten(render({ env: '-e A=1 -p 80:80' })), [{ A: '1', '-p 80:80': '1' }]);
    assert.deepEqual(rewritten(render({ env: { A: '1', '-p 80:80': '1' } })), ['-e A=1 -p 80:80']);
  });

  it('are not offered where they would lose something', () => {
    assert.deepEqual(rewritten(render({ env: '-e A=1 -e A=2' })), []);
    assert.deepEqual(rewritten(render({ env: { '-p 8': '1' } })), []);
    assert.deepEqual(rewritten(render({})), []);
  });

  it('put a reference where the secret stood and change nothing else', () => {
    const source = render({ env: { HF_TOKEN: 'hf_x', A: '1' }, docker_login_pass: 'clear' });
    const after = (slot: 'docker_login_pass' | 'env.HF_TOKEN') =>
      JSON.parse(applyChanges(source, replaceByReference(source, slot, '${secret:r}') ?? [])) as unknown;
    assert.deepEqual(after('env.HF_TOKEN'), {
      ...complete,
      env: { HF_TOKEN: '${secret:r}', A: '1' },
      docker_login_pass: 'clear',
    });
    assert.deepEqual(after('docker_login_pass'), {
      ...complete,
      env: { HF_TOKEN: 'hf_x', A: '1' },
      docker_login_pass: '${secret:r}',
    });
  });

  it('put a reference where the variable was not set yet, and leave what cannot be read alone', () => {
    const envAfter = (fields: Record<string, unknown>) => {
      const source = render(fields);
      const changes = replaceByReference(source, 'env.T', '${secret:r}') ?? [];
      return (JSON.parse(applyChanges(source, changes)) as { env?: unknown }).env;
    };
    assert.deepEqual(envAfter({}), { T: '${secret:r}' });
    assert.deepEqual(envAfter({ env: null }), { T: '${secret:r}' });
    assert.deepEqual(envAfter({ env: { A: '1' } }), { A: '1', T: '${secret:r}' });
    assert.deepEqual(envAfter({ env: '-e A=1' }), { A: '1', T: '${secret:r}' });
    assert.deepEqual(envAfter({ env: ['A'] }), ['A']);
    assert.equal(envAfter({ env: '-e A=1 -e A=2' }), '-e A=1 -e A=2');
  });

  it('take a variable out of either form', () => {
    for (const env of [{ T: 'x', A: '1' }, '-e T=x -e A=1'] as const) {
      const source = render({ env });
      const after = JSON.parse(applyChanges(source, removeVariable(source, 'T') ?? [])) as { env: unknown };
      assert.deepEqual(after.env, { A: '1' });
    }
    assert.equal(removeVariable(render({ env: '-e T=x -e T=y' }), 'T'), undefined);
  });

  it('keep comments, line endings and indentation of the file', () => {
    const source = '{\r\n\t// why\r\n\t"image": "a:1"\r\n}';
    const finding = findWorkspaceProblems(source).find(({ code }) => code === 'priceLimitMissing');
    const action = finding?.fixes[0]?.action;
    assert.ok(action?.kind === 'edit');
    assert.equal(
      applyChanges(source, action.changes),
      '{\r\n\t// why\r\n\t"image": "a:1",\r\n\t"maxPricePerHour": 0.5\r\n}',
    );
  });
});

describe('the checks of a workspace file', () => {
  const sound = { image: 'a:1', maxPricePerHour: 1 };
  const check = (file: unknown) => look(JSON.stringify(file, null, 2), findWorkspaceProblems);

  it('find nothing in a sound file', () => {
    assert.deepEqual(check(sound), []);
    assert.deepEqual(check({ template: { id: 3 }, maxPricePerHour: 1, ports: ['80:80'] }), []);
  });

  it('mark unknown keys, a missing limit, and anything but one thing to rent', () => {
    assert.deepEqual(check({ ...sound, gpu: 1 }), [['unknownField', '"gpu"', 'Remove "gpu"']]);
    assert.deepEqual(check({ image: 'a:1' }), [['priceLimitMissing', '{', 'Add "maxPricePerHour"']]);
    assert.deepEqual(check({ maxPricePerHour: 1 }), [['nothingToRent', '{', 'Add "image"']]);
    const jobs = { train: { run: 'a', outputs: ['out/**'], limits: { hours: 1, costDollars: 1 } } };
    const severities = (file: unknown) =>
      findWorkspaceProblems(JSON.stringify(file)).map(({ code, severity }) => `${code} ${severity}`);
    assert.deepEqual(severities({ jobs }), ['nothingToRent information']);
    assert.deepEqual(severities({ jobs, image: 'a:1' }), ['priceLimitMissing error']);
    assert.deepEqual(check({ ...sound, template: 3 }), [
      ['templateAndImage', '"a:1"', 'Remove "image" / Remove "template"'],
    ]);
  });

  it('mark what a rental cannot take of the environment', () => {
    assert.deepEqual(check({ ...sound, env: '-e A=1 --shm-size 1g' }), [['envNotSent', '--shm-size 1g', '']]);
    assert.deepEqual(check({ ...sound, env: { 'MY VAR': '1', A: '1' } }), [['envNotSent', '"MY VAR"', '']]);
    assert.deepEqual(check({ ...sound, env: { '-p 80:80': '2' } }), [['envNotSent', '"-p 80:80"', '']]);
    assert.deepEqual(check({ ...sound, env: { T: '${secret:T}' } }), [['envNotSent', '"T"', '']]);
    assert.deepEqual(check({ ...sound, env: '-e T=${secret:T}' }), [['envNotSent', '-e T=${secret:T}', '']]);
  });

  it('mark ports that cannot be read and secrets that everyone would get', () => {
    assert.deepEqual(check({ ...sound, ports: ['80:80', '8080'] }), [['portUnreadable', '"8080"', '']]);
    assert.deepEqual(check({ ...sound, env: { API_KEY: 'abcd1234' } }), [
      ['secretInClear', '"abcd1234"', 'Make It an Account Secret'],
    ]);
  });
});
