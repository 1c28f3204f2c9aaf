import assert from 'node:assert/strict';
import { findTemplateProblems } from '../../../../src/model/templates/templateDiagnostics';
import { formatText } from '../../../../src/util/text';
import { fixed, look } from '../../../support/findings';
import { findInFile } from '../../../support/workspaceFile';

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

describe('the checks of a template document', () => {
  it('find nothing in a sound document', () => {
    assert.deepEqual(look(findTemplateProblems, render({})), []);
  });

  it('miss no required field, and add empty text for the unused registry ones', () => {
    const source = '{\n  "name": "n"\n}\n';
    assert.deepEqual(
      look(findTemplateProblems, source)
        .filter(([code]) => code === 'required')
        .map(([, , fixes]) => fixes),
      ['image', 'docker_login_repo', 'docker_login_user', 'docker_login_pass'].map((name) => `Add "${name}"`),
    );
    assert.deepEqual(fixed(findTemplateProblems, source, 'Add "docker_login_repo"'), {
      name: 'n',
      docker_login_repo: '',
    });
    assert.deepEqual(fixed(findTemplateProblems, '{}', 'Add "name"'), { name: '' });
    assert.deepEqual(look(findTemplateProblems, render({ name: ' ' })), [['required', '" "', '']]);
  });

  it('mark an image without a tag, and two tags that disagree', () => {
    const source = render({ image: 'host:5000/pytorch' });
    assert.deepEqual(look(findTemplateProblems, source), [
      ['imageWithoutTag', '"host:5000/pytorch"', 'Add "tag": "latest"'],
    ]);
    assert.deepEqual(fixed(findTemplateProblems, source, 'Add "tag": "latest"'), {
      ...complete,
      image: 'host:5000/pytorch',
      tag: 'latest',
    });
    const two = render({ tag: '2' });
    assert.deepEqual(look(findTemplateProblems, two), [['twoTags', '"2"', 'Remove tag']]);
    assert.deepEqual(fixed(findTemplateProblems, two, 'Remove tag'), complete);
  });

  it('warn about a long start script', () => {
    assert.deepEqual(look(findTemplateProblems, render({ onstart: 'x'.repeat(4048) })), []);
    assert.deepEqual(
      look(findTemplateProblems, render({ onstart: 'x'.repeat(4049) })).map(([code]) => code),
      ['onstartLong'],
    );
  });

  it('compare the run type with the flags that belong to it', () => {
    const ssh = render({ runtype: 'ssh', onstart: 'run' });
    assert.deepEqual(look(findTemplateProblems, ssh), [
      ['runtypeMismatch', '"ssh"', 'Set "ssh_direct" to true'],
    ]);
    assert.deepEqual(fixed(findTemplateProblems, ssh, 'Set "ssh_direct" to true'), {
      ...complete,
      runtype: 'ssh',
      onstart: 'run',
      ssh_direct: true,
    });
    const args = render({ ssh_direct: true });
    assert.deepEqual(look(findTemplateProblems, args), [
      ['runtypeMismatch', '"ssh_direct"', 'Remove ssh_direct / Use run type ssh'],
    ]);
    assert.deepEqual(fixed(findTemplateProblems, args, 'Use run type ssh'), {
      ...complete,
      ssh_direct: true,
      runtype: 'ssh',
    });
    const jupyter = render({ runtype: 'jupyter', onstart: 'run', jup_direct: false });
    assert.deepEqual(look(findTemplateProblems, jupyter), [
      ['runtypeMismatch', '"jupyter"', 'Set "jup_direct" to true'],
    ]);
    assert.deepEqual(fixed(findTemplateProblems, jupyter, 'Set "jup_direct" to true'), {
      ...complete,
      runtype: 'jupyter',
      onstart: 'run',
      jup_direct: true,
    });
    assert.deepEqual(
      look(findTemplateProblems, render({ runtype: 'other' })).map(([code]) => code),
      ['runtypeUnknown'],
    );
    assert.deepEqual(
      look(
        findTemplateProblems,
        render({ runtype: 'ssh', ssh_direct: true, use_ssh: false, onstart: 'x' }),
      ).map(([code]) => code),
      ['runtypeMismatch'],
    );
  });

  it('mark arguments outside args and Jupyter fields outside Jupyter', () => {
    const args = render({ runtype: 'ssh', ssh_direct: true, onstart: 'run', args_str: '--port 80' });
    assert.deepEqual(look(findTemplateProblems, args), [
      ['argsOutsideArgs', '"args_str"', 'Remove args_str / Use run type args'],
    ]);
    const lab = render({ jupyter_dir: '/w', use_jupyter_lab: true });
    assert.deepEqual(
      look(findTemplateProblems, lab).map(([code, at]) => [code, at]),
      [
        ['jupyterOutsideJupyter', '"jupyter_dir"'],
        ['jupyterOutsideJupyter', '"use_jupyter_lab"'],
      ],
    );
  });

  it('warn that the application will not start by itself', () => {
    const source = render({ runtype: 'ssh', ssh_direct: true });
    assert.deepEqual(look(findTemplateProblems, source), [
      ['onstartMissing', '"ssh"', 'Add "onstart" / Use run type args'],
    ]);
  });

  it('mark what can’t be read in the environment at its exact place', () => {
    assert.deepEqual(look(findTemplateProblems, render({ env: '-e A=1 -p eighty:80 stray' })), [
      ['portUnreadable', '-p eighty:80', ''],
      ['envUnreadable', 'stray', ''],
    ]);
    assert.deepEqual(
      look(findTemplateProblems, render({ env: '-e A="x" -p 1' })).map(([code, at]) => [code, at]),
      [['portUnreadable', '"-e A=\\"x\\" -p 1"']],
    );
    assert.deepEqual(look(findTemplateProblems, render({ env: { '-p 8080': '1', 'A=B': 'x' } })), [
      ['portUnreadable', '"-p 8080"', ''],
      ['envUnreadable', '"A=B"', ''],
    ]);
    assert.deepEqual(look(findTemplateProblems, render({ env: '-e A=1 -e A=2' })), [
      ['envTwice', '-e A=2', ''],
    ]);
    const number = render({ env: { PORT: 80 } });
    assert.deepEqual(look(findTemplateProblems, number), [['envNotText', '80', 'Put it in quotes']]);
    assert.deepEqual(fixed(findTemplateProblems, number, 'Put it in quotes'), {
      ...complete,
      env: { PORT: '80' },
    });
  });

  it('mark a value that looks like a secret, more loudly where everyone can see it', () => {
    const env = { HF_TOKEN: 'hf_abcdefgh', MODEL: 'llama' };
    assert.deepEqual(look(findTemplateProblems, render({ env })), [
      ['secretInClear', '"hf_abcdefgh"', 'Move to Secrets / Make It an Account Secret'],
    ]);
    const open = render({ env, private: false });
    assert.deepEqual(look(findTemplateProblems, open), [
      [
        'secretInPublic',
        '"hf_abcdefgh"',
        'Make the template private / Move to Secrets / Make It an Account Secret',
      ],
    ]);
    assert.deepEqual(fixed(findTemplateProblems, open, 'Make the template private'), { ...complete, env });
  });

  it('move a secret out of a flag text only where an object can hold all of it', () => {
    const token = '-e HF_TOKEN=hf_abcdefgh';
    assert.deepEqual(look(findTemplateProblems, render({ env: token })), [
      ['secretInClear', token, 'Move to Secrets / Make It an Account Secret'],
    ]);
    assert.deepEqual(look(findTemplateProblems, render({ env: `${token} -e A=1 -e A=2` })), [
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
    assert.deepEqual(preferred(file, findInFile), ['Make It an Account Secret']);
  });

  it('mark a value in a script that looks like a secret, and lead it to the environment', () => {
    const onstart = 'echo "a"\nexport HF_TOKEN=hf_abcdefgh1234\n';
    assert.deepEqual(look(findTemplateProblems, render({ onstart, env: { A: '1' } })), [
      ['secretInScript', 'hf_abcdefgh1234', 'Move It to "env"'],
    ]);
    const moved = { onstart: 'echo "a"\nexport HF_TOKEN="$HF_TOKEN"\n' };
    const withToken = { HF_TOKEN: 'hf_abcdefgh1234' };
    for (const [env, after] of [
      [undefined, withToken],
      [{}, withToken],
      [{ A: '1' }, { A: '1', ...withToken }],
      ['-e A=1', { A: '1', ...withToken }],
    ]) {
      const source = render({ onstart, env });
      assert.deepEqual(fixed(findTemplateProblems, source, 'Move It to "env"'), {
        ...complete,
        ...moved,
        env: after,
      });
    }
    for (const env of [{ HF_TOKEN: 'other' }, '-e HF_TOKEN=other', '-e A=1 -e A=2', 7, null]) {
      const [, , fixes] =
        look(findTemplateProblems, render({ onstart, env })).find(([code]) => code === 'secretInScript') ??
        [];
      assert.equal(fixes, env === null ? 'Move It to "env"' : '', JSON.stringify(env));
    }
    assert.deepEqual(look(findTemplateProblems, render({ args_str: 'API_KEY=abcd1234' })), [
      ['secretInScript', 'abcd1234', ''],
    ]);
  });

  it('mark a secret in a script more loudly where everyone can see it', () => {
    const onstart = 'login --token hf_abcdefgh1234';
    const [warning] = findTemplateProblems(render({ onstart }));
    const open = render({ onstart, private: false });
    assert.equal(warning?.severity, 'warning');
    assert.deepEqual(
      findTemplateProblems(open).map(({ severity }) => severity),
      ['error'],
    );
    assert.deepEqual(look(findTemplateProblems, open), [
      ['secretInScript', 'hf_abcdefgh1234', 'Make the template private'],
    ]);
    assert.deepEqual(fixed(findTemplateProblems, open, 'Make the template private'), {
      ...complete,
      onstart,
    });
  });

  it('leave a reference alone, but not if everyone can see its value', () => {
    const env = { HF_TOKEN: '${secret:hf}' };
    assert.deepEqual(look(findTemplateProblems, render({ env })), []);
    assert.deepEqual(look(findTemplateProblems, render({ env, private: false })), [
      ['secretInPublic', '"${secret:hf}"', 'Make the template private'],
    ]);
  });

  it('warn that a secret was not entered on this computer', () => {
    const source = render({ env: { HF_TOKEN: '${secret:hf}' } });
    const codes = (entered: string[]) =>
      findTemplateProblems(source, new Set(entered)).map(({ code }) => code);
    assert.deepEqual(codes(['hf']), []);
    assert.deepEqual(codes([]), ['secretNotHere']);
  });

  it('mark a registry password in clear and a login that lacks a part', () => {
    const registry = { docker_login_repo: 'ghcr.io', docker_login_user: 'me' };
    assert.deepEqual(look(findTemplateProblems, render({ ...registry, docker_login_pass: 'clear' })), [
      ['registryPasswordInClear', '"clear"', 'Move to Secrets'],
    ]);
    assert.deepEqual(
      look(findTemplateProblems, render({ ...registry, docker_login_pass: '${secret:r}' })),
      [],
    );
    assert.deepEqual(
      look(findTemplateProblems, render({ docker_login_repo: 'ghcr.io' })).map(([code]) => code),
      ['registryIncomplete', 'registryIncomplete'],
    );
  });

  it('mark a volume as a hint, fields of the service, and unknown fields', () => {
    const source = render({ volume_info: { size: 1 }, hash_id: 'x', surprise: 1 });
    assert.deepEqual(look(findTemplateProblems, source), [
      ['volumeHint', '"volume_info"', ''],
      ['serviceField', '"hash_id"', 'Remove hash_id'],
      ['unknownField', '"surprise"', 'Remove surprise'],
    ]);
    assert.deepEqual(fixed(findTemplateProblems, source, 'Remove hash_id'), {
      ...complete,
      volume_info: { size: 1 },
      surprise: 1,
    });
  });

  it('ignore a text that is no object, which the editor marks itself', () => {
    assert.deepEqual(look(findTemplateProblems, ''), []);
    assert.deepEqual(look(findTemplateProblems, '[1]'), []);
    assert.doesNotThrow(() => findTemplateProblems('{"env": {"A": , '));
  });
});
