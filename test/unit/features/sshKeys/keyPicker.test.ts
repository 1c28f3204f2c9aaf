import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { generate, pickKey, pickListed } from '../../../../src/features/sshKeys/keyPicker';
import type { LocalKey } from '../../../../src/ssh/localKeys';
import { FakeQuickPick } from '../../../support/fakeEditor/quickInput';
import { textsOn, useScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';
import { removeFolder } from '../../../support/removeFolder';

const aKey = (name: string, change: Partial<LocalKey> = {}): LocalKey => {
  const base64 = `AAAAC3NzaC1lZDI1NTE5AAAAI${name.padEnd(43, 'A')}`;
  return {
    publicKey: { type: 'ssh-ed25519', base64, comment: name, fingerprint: `SHA256:${name}` },
    line: `ssh-ed25519 ${base64} ${name}`,
    publicFile: `/home/me/.ssh/${name}.pub`,
    privateFile: `/home/me/.ssh/${name}`,
    inAgent: false,
    encrypted: false,
    ...change,
  };
};
const pasted = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${'B'.repeat(43)} laptop`;
const words = { title: 'Add a Key', placeholder: 'Which one?' };

describe('The choice of a public key', () => {
  const screen = useScreen();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gr-keys-'));
  let local: readonly LocalKey[];
  let made: unknown[];
  let secrets: string[];
  const deps = only<Parameters<typeof pickKey>[0]>({
    ssh: {
      localKeys: () => Promise.resolve(local),
      generateKey: (...how: unknown[]) => {
        made.push(how);
        return Promise.resolve(aKey(String(how[0])));
      },
    },
    redactor: { addSecret: (secret: string) => secrets.push(secret) },
  });

  const flush = async () => {
    for (let turn = 0; turn < 10; turn += 1) {
      await setImmediate();
    }
  };
  const rows = () => {
    const { current } = screen.quick;
    return current instanceof FakeQuickPick ? current.items.map(({ label }) => label) : [];
  };
  const pick = async (label: string) => {
    await flush();
    const { current } = screen.quick;
    assert.ok(current instanceof FakeQuickPick, `no list has "${label}"`);
    const row = current.items.find((one) => one.label === label);
    assert.ok(row, `no row "${label}" in ${rows().join()}`);
    current.move(row);
    current.accept();
    await flush();
  };
  /** Types into the box and returns its text then. */
  const type = async (text: string) => {
    await flush();
    screen.quick.current?.type(text);
    await flush();
    return screen.quick.current?.message;
  };
  const enter = async () => {
    await flush();
    screen.quick.current?.accept();
    await flush();
  };

  beforeEach(() => {
    local = [aKey('locked', { encrypted: true }), aKey('work')];
    [made, secrets] = [[], []];
    textsOn(screen);
  });
  afterEach(() => screen.quick.current?.leave());
  after(() => removeFolder(folder));

  it('begins at a key that needs no passphrase, and leaves out those that are there', async () => {
    const chosen = pickKey(deps, words);
    await flush();
    const { current } = screen.quick;
    assert.ok(current instanceof FakeQuickPick);
    assert.deepEqual(
      [...rows(), `at ${current.activeItems[0]?.label ?? ''}`],
      [
        ...['Use locked', 'Use work', 'Generate a New Key…', 'From a File…', 'Paste a Public Key…'],
        'at Use work',
      ],
    );
    await enter();
    assert.deepEqual(await chosen, { kind: 'key', line: aKey('work').line });
    const others = pickKey(deps, { ...words, without: 'Go On Without' }, ({ line }) =>
      line.endsWith(' work'),
    );
    await flush();
    assert.deepEqual(rows(), [
      ...['Use locked', 'Generate a New Key…', 'From a File…', 'Paste a Public Key…', 'Go On Without'],
    ]);
    await pick('Go On Without');
    assert.deepEqual(await others, { kind: 'without' });
  });

  it('proposes a new key where none works by itself, and is nothing after Escape', async () => {
    local = [aKey('locked', { encrypted: true })];
    const chosen = pickKey(deps, words);
    await flush();
    const { current } = screen.quick;
    assert.ok(current instanceof FakeQuickPick);
    assert.equal(current.activeItems[0]?.label, 'Generate a New Key…');
    current.leave();
    assert.equal(await chosen, undefined);
  });

  it('accepts a pasted key, and names what another text is', async () => {
    const chosen = pickKey(deps, words);
    await pick('Paste a Public Key…');
    assert.equal(await type(' '), 'The public key, as in the file that ends in .pub');
    assert.match((await type('hello')) ?? '', /^Enter a public key in one line/);
    assert.match((await type('-----BEGIN OPENSSH PRIVATE KEY-----')) ?? '', /^This is a private key/);
    await type(` ${pasted} `);
    await enter();
    assert.deepEqual(await chosen, { kind: 'key', line: pasted });
  });

  it('accepts a file, unless that is too long or no key', async () => {
    const fromFile = async (content: string) => {
      const file = path.join(folder, 'key.pub');
      writeFileSync(file, content);
      screen.fileDialogs.push([file]);
      const chosen = pickKey(deps, words);
      await pick('From a File…');
      // The file is read from the disk.
      const waits = () => Promise.race([chosen.then(() => false), setImmediate(true)]);
      while (screen.messages.shown.length === 0 && (await waits())) {}
      screen.messages.shown[0]?.close();
      return [await chosen, ...textsOn(screen)];
    };
    const long = `${pasted} ${'x'.repeat(20_000 - pasted.length - 1)}`;
    assert.deepEqual(await fromFile(`${pasted}\n`), [{ kind: 'key', line: pasted }]);
    assert.deepEqual(await fromFile(long), [{ kind: 'key', line: long }]);
    for (const content of [`${long}x`, 'hello']) {
      const [chosen, said] = await fromFile(content);
      assert.equal(chosen, undefined);
      assert.match(typeof said === 'string' ? said : '', /^warning dialog Enter a public key in one line/);
    }
    screen.fileDialogs.push(undefined);
    const none = pickKey(deps, words);
    await pick('From a File…');
    assert.equal(await none, undefined);
  });

  it('makes a key under a free name, with a passphrase that is typed twice', async () => {
    local = [
      aKey('gpu_rental'),
      aKey('gpu_rental_2', { privateFile: 'C:\\Users\\me\\.ssh\\gpu_rental_2' }),
      aKey('of_agent', { privateFile: undefined }),
    ];
    const chosen = generate(deps, 'linux');
    await flush();
    assert.equal(screen.quick.current?.value, 'gpu_rental_3');
    assert.equal(await type('gpu_rental'), 'A key with this name exists already.');
    assert.equal(await type('gpu_rental_2'), 'A key with this name exists already.');
    assert.equal(await type('a/b'), 'Use letters, digits, dots, hyphens and underscores.');
    assert.equal(await type('rental'), 'Name of the file in your .ssh folder.');
    await enter();
    assert.equal(await type('four'), 'At least 5 characters, or none.');
    assert.match((await type('fifth')) ?? '', /^Press Enter for no passphrase/);
    const isHidden = () => (screen.quick.current as { readonly password?: boolean }).password;
    assert.equal(isHidden(), true);
    await enter();
    assert.equal(isHidden(), true);
    assert.equal(await type('fif'), 'Not complete yet.');
    assert.equal(await type('other'), 'The passphrases do not match.');
    assert.match((await type('fifth')) ?? '', /^Enter the passphrase again/);
    await enter();
    assert.equal((await chosen)?.line, aKey('rental').line);
    assert.deepEqual(made, [['rental', 'rental', { passphrase: 'fifth' }]]);
    assert.deepEqual(secrets, ['fifth']);
  });

  it('makes one without a passphrase, or none', async () => {
    const chosen = generate(deps, 'linux');
    await enter();
    await enter();
    assert.ok(await chosen);
    assert.deepEqual(made, [['gpu_rental', 'gpu_rental', { passphrase: '' }]]);
    const none = generate(deps, 'linux');
    await enter();
    screen.quick.current?.leave();
    assert.equal(await none, undefined);
    const unnamed = generate(deps, 'linux');
    await flush();
    screen.quick.current?.leave();
    assert.equal(await unnamed, undefined);
    assert.equal(made.length, 1);
  });

  it('has the passphrase typed in a terminal on Windows', async () => {
    const withOne = generate(deps, 'win32');
    await enter();
    await pick('With a Passphrase, Typed in a Terminal');
    assert.ok(await withOne);
    assert.deepEqual(made, [['gpu_rental', 'gpu_rental']]);
    const [terminal] = screen.terminals.all;
    assert.equal(terminal?.name, 'Passphrase of gpu_rental');
    assert.deepEqual(terminal.creationOptions.shellArgs, ['-p', '-f', '/home/me/.ssh/gpu_rental']);
    const without = generate(deps, 'win32');
    await enter();
    await pick('Without a Passphrase');
    assert.ok(await without);
    assert.deepEqual(made.slice(1), [['gpu_rental', 'gpu_rental', { passphrase: '' }]]);
    const none = generate(deps, 'win32');
    await enter();
    screen.quick.current?.leave();
    assert.equal(await none, undefined);
    assert.equal(screen.terminals.all.length, 1);
  });

  it('is among those of a list by name and fingerprint, where there are any', async () => {
    assert.equal(await pickListed([], 'gpuRental.sshKey.delete'), undefined);
    assert.deepEqual(textsOn(screen), ['info There are no SSH keys. []']);
    const keys = [
      { id: 1, publicKey: pasted },
      { id: 2, publicKey: pasted, name: 'named' },
    ];
    const chosen = pickListed(keys, 'gpuRental.sshKey.delete');
    await flush();
    assert.deepEqual(rows(), ['laptop', 'named']);
    await pick('named');
    assert.deepEqual(await chosen, keys[1]);
  });
});
