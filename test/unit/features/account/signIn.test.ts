import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  EmptyKeyError,
  findImportableKeys,
  normalizeServiceUrl,
  serviceUrlProblem,
} from '../../../../src/features/account/signIn';
import { useFolder } from '../../../support/useFolder';

describe('keys of other tools', () => {
  let home = '';
  useFolder((made) => void (home = made));

  it('finds none on a computer without any', async () => {
    assert.deepEqual(await findImportableKeys({}, home), []);
  });

  it('offers the environment variable and both key files of the public command line, without the value', async () => {
    await mkdir(join(home, '.config', 'vastai'), { recursive: true });
    await writeFile(join(home, '.config', 'vastai', 'vast_api_key'), 'from-config\n');
    await writeFile(join(home, '.vast_api_key'), 'from-home\n');
    const found = await findImportableKeys({ VAST_API_KEY: ' from-env ' }, home);
    assert.deepEqual(
      found.map(({ place }) => place),
      ['VAST_API_KEY', '~/.config/vastai/vast_api_key', '~/.vast_api_key'],
    );
    // Another service could be given the key only by somebody who knows that.
    assert.deepEqual([...new Set(found.map(({ service }) => service))], ['console.vast.ai']);
    assert.deepEqual(await Promise.all(found.map((key) => key.read())), [
      'from-env',
      'from-config',
      'from-home',
    ]);
  });

  it('looks in no folder relative to where the editor was started', async () => {
    await mkdir(join(home, '.config', 'vastai'), { recursive: true });
    await writeFile(join(home, '.config', 'vastai', 'vast_api_key'), 'from-config\n');
    for (const XDG_CONFIG_HOME of ['', 'settings']) {
      const found = await findImportableKeys({ XDG_CONFIG_HOME }, home);
      assert.deepEqual(
        found.map(({ place }) => place),
        ['~/.config/vastai/vast_api_key'],
      );
    }
  });

  it('names the file that holds no key', async () => {
    await writeFile(join(home, '.vast_api_key'), '\n');
    const [key] = await findImportableKeys({}, home);
    await assert.rejects(
      async () => key?.read(),
      (error: unknown) => {
        assert.ok(error instanceof EmptyKeyError);
        assert.match(error.message, /~\/\.vast_api_key/);
        return true;
      },
    );
  });
});

describe('service address', () => {
  for (const good of [
    'https://console.vast.ai',
    ' https://gpu.example/prefix/ ',
    'http://127.0.0.1:8787',
    'http://localhost:1',
    'http://[::1]:8787',
  ]) {
    it(`accepts ${good.trim()}`, () => {
      assert.equal(serviceUrlProblem(good), undefined);
    });
  }
  for (const bad of [
    'console.vast.ai',
    'http://console.vast.ai',
    'http://127.0.0.1.example.org',
    'ftp://gpu.example',
    'https://user:secret@gpu.example',
    'https://gpu.example/?api_key=x',
    'https://gpu.example/#x',
    '',
  ]) {
    it(`refuses “${bad}” with a reason`, () => {
      assert.ok(serviceUrlProblem(bad)?.template);
    });
  }
  it('keeps a path prefix and drops the final slash', () => {
    assert.equal(normalizeServiceUrl(' https://gpu.example/prefix/ '), 'https://gpu.example/prefix');
  });
  it('drops the part that all calls begin with, as documentation shows it', () => {
    assert.equal(normalizeServiceUrl('https://console.vast.ai/api/v0/'), 'https://console.vast.ai');
    assert.equal(normalizeServiceUrl('https://gpu.example/prefix/api/v1'), 'https://gpu.example/prefix');
  });
});
