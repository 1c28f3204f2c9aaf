import assert from 'node:assert/strict';
import * as words from '../../../../src/features/sshKeys/keyText';
import { parsePublicKey } from '../../../../src/ssh/publicKey';

describe('The words of an SSH key', () => {
  const base64 = 'AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl';
  const line = `ssh-ed25519 ${base64} me@laptop`;
  const key = (more: object = {}) =>
    ({ line, publicKey: parsePublicKey(line), encrypted: false, inAgent: false, ...more }) as never;

  it('name it as it is named, else by its comment, else by its kind', () => {
    assert.deepEqual(
      [
        words.keyName(line, 'work'),
        words.keyName(line),
        words.keyName(`ssh-ed25519 ${base64}`),
        words.keyName('x'),
      ],
      ['work', 'me@laptop', 'ssh-ed25519', 'Unknown kind of key'],
    );
  });

  it('show where it is and what it asks for', () => {
    const all = [
      key(),
      key({ inAgent: true }),
      key({ encrypted: true }),
      key({ encrypted: true, inAgent: true }),
    ];
    assert.deepEqual(all.map(words.placeOf), [
      'on this computer',
      'in the SSH agent',
      'on this computer, asks for a passphrase',
      'in the SSH agent',
    ]);
    const {
      label,
      description,
      detail = '',
    } = words.localKeyRow(key({ publicFile: '/h/.ssh/id.pub', encrypted: true, inAgent: true }), 'Use me', 1);
    assert.deepEqual([label, description], ['Use me', '']);
    assert.match(detail, /^\/h\/\.ssh\/id\.pub · in the SSH agent · SHA256:/);
    assert.match(
      words.localKeyRow(key({ privateFile: '/h/.ssh/id' }), 'x', 1).detail ?? '',
      /^\/h\/\.ssh\/id · SHA256:/,
    );
  });

  it('refuse a private key and what is no key', () => {
    assert.equal(words.publicKeyProblem(line), undefined);
    assert.match(
      words.publicKeyProblem('-----BEGIN OPENSSH PRIVATE KEY-----') ?? '',
      /^This is a private key/,
    );
    assert.match(words.publicKeyProblem('ssh-ed25519 odd') ?? '', /^Enter a public key/);
    assert.match(
      words.publicKeyProblem('PuTTY-User-Key-File-3: ssh-ed25519') ?? '',
      /^This is a private key/,
    );
  });

  it('refuse several keys, options before a key, and types that servers refuse', () => {
    for (const several of [`${line} ${line}`, `${line}\n${line}`]) {
      assert.match(words.publicKeyProblem(several) ?? '', /^There are several keys/);
    }
    for (const options of ['command="sh" ', 'from="*",no-pty ', 'restrict ']) {
      assert.match(words.publicKeyProblem(`${options}${line}`) ?? '', /without the text before it/);
    }
    const old = ['ssh-dss', 'ssh-ed25519-cert-v01@openssh.com'].map((type) => {
      const name = Buffer.from(type);
      const blob = Buffer.concat([Buffer.from([0, 0, 0, name.length]), name, Buffer.alloc(40)]);
      return `${type} ${blob.toString('base64')}`;
    });
    for (const one of old) {
      assert.match(words.publicKeyProblem(one) ?? '', /accept no key of the type/);
    }
  });
});
