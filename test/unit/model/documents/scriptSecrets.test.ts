import assert from 'node:assert/strict';
import { scriptSecrets } from '../../../../src/model/documents/scriptSecrets';

const values = (script: string) => scriptSecrets(script).map(({ value }) => value);
const token = 'hf_AbCdEfGh1234567890';

describe('a secret in a script', () => {
  for (const script of [
    `export HF_TOKEN=${token}`,
    `HF_TOKEN="${token}" python train.py`,
    `HF_TOKEN='${token}'`,
    `huggingface-cli login --token ${token}`,
    `huggingface-cli login --token=${token}`,
    `bash -c "export HF_TOKEN=${token}; python train.py"`,
    `curl -H "Authorization: Bearer ${token}" https://example.com`,
    `git clone https://me:${token}@github.com/me/model`,
    `# export HF_TOKEN=${token}`,
  ]) {
    it(`is found in ${script}`, () => {
      assert.deepEqual(values(script), [token]);
    });
  }

  it('is found by the name of its variable or option, or in an address', () => {
    assert.deepEqual(values('export WANDB_API_KEY=abcd1234 MODEL=llama'), ['abcd1234']);
    assert.deepEqual(values('jupyter lab --ServerApp.token=abcd1234 --ip=0.0.0.0'), ['abcd1234']);
    assert.deepEqual(values('serve --api-key "$KEY" --db postgres://me:sesame@db/main'), ['sesame']);
    assert.deepEqual(values('vllm serve a/b --api-key token-abc'), ['token-abc']);
    assert.deepEqual(values(`mysql --user=me --db-password 'open sesame'`), ['open sesame']);
  });

  for (const script of [
    'export HF_TOKEN=$HF_TOKEN',
    'export HF_TOKEN="${HF_TOKEN:-}"',
    'export HF_TOKEN=$(cat /run/token)',
    'export HF_TOKEN=`cat /run/token`',
    'AUTH="Bearer $TOKEN"',
    'DB_PASSWORD=prefix-${SECRET}',
    'serve --api-key "key-$KEY" --auth="Bearer `cat token`"',
    'export HF_TOKEN=',
    'jupyter lab --ServerApp.token="" --ServerApp.password=',
    'export PASSWORD_FILE=/run/password',
    'git checkout 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b',
    'pip install sk-learn-contrib-extras hf_transfer',
    'npm_config_cache=/tmp/npm npm install',
    'git clone https://$USER:$TOKEN@github.com/me/model',
    'python train.py --epochs=3 --lr 1e-4',
    'vllm serve a/b --api-key $KEY --api-key "$KEY" --no-password --port 8000',
    'serve --password-file /run/password --eos-token "</s>"',
    '',
  ]) {
    it(`is not seen in ${script}`, () => {
      assert.deepEqual(values(script), []);
    });
  }

  it('is named once, for any number of places', () => {
    assert.deepEqual(values(`AUTH="Bearer ${token}"`), [`Bearer ${token}`]);
    assert.deepEqual(values(`export HF_TOKEN=${token}\nlogin ${token}\ncurl https://me:${token}@host/`), [
      token,
    ]);
  });

  it('can be a variable only if a line begins with its assignment', () => {
    const assigned = (script: string) =>
      scriptSecrets(script).map((one) => one.assigned && [one.assigned.name, cut(script, one.assigned.word)]);
    const cut = (script: string, { offset, length }: { offset: number; length: number }) =>
      script.slice(offset, offset + length);
    assert.deepEqual(assigned(`echo a\n  export HF_TOKEN='${token}'\n`), [['HF_TOKEN', `'${token}'`]]);
    assert.deepEqual(assigned(`HF_TOKEN=${token} python train.py`), [['HF_TOKEN', token]]);
    assert.deepEqual(assigned(`PASSWORD='a$b\\c'`), [['PASSWORD', `'a$b\\c'`]]);
    assert.deepEqual(assigned('PASSWORD="a\\\\bcd"'), [undefined], 'the shell reads it as another value');
    for (const script of [`bash -c "HF_TOKEN=${token} x"`, `# HF_TOKEN=${token}`, `login --token=${token}`]) {
      assert.deepEqual(assigned(script), [undefined], script);
    }
  });

  it('is looked for in a long line at once', () => {
    for (const long of [
      'a',
      'a=',
      '"',
      "a='",
      'a://',
      'hf_',
      'https://a:',
      '--',
      '--secret ',
      '--a-password-',
    ].map((part) => part.repeat(20_000))) {
      assert.deepEqual(
        values(`${long} HF_TOKEN=${token}`).filter((value) => value === token),
        [token],
      );
    }
  });
});
