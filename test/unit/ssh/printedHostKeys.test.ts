import assert from 'node:assert/strict';
import { hostKeyLine } from '../../../src/model/rentals/hostKeyLine';
import {
  areAllPrinted,
  differsFromPrinted,
  printedHostKeys,
  startLineHostKeys,
} from '../../../src/ssh/printedHostKeys';
import { parsePublicKey } from '../../../src/ssh/publicKey';
import { publicKeys } from '../../support/rentedInstance';

const [mine, other] = publicKeys;
const fingerprintOf = (line: string) => parsePublicKey(line)?.fingerprint ?? '';
const printed = fingerprintOf(mine);
const known = (key: string) => [`gpu-7 ${key.split(' ').slice(0, 2).join(' ')}`];
const found = (log: string) => [...printedHostKeys(log)].map(([type, keys]) => [type, [...keys]]);

describe('The host keys in the log of a machine', () => {
  it('are those that the packages of OpenSSH, cloud-init and ssh-keygen print', () => {
    const logs = [
      `Creating SSH2 ED25519 key; this may take some time ...\n256 ${printed} root@c1 (ED25519)`,
      `2026-11-22 ci-info: -----BEGIN SSH HOST KEY FINGERPRINTS-----\n<14>ec2: 256 ${printed} root@c1 (ED25519)\n-----END SSH HOST KEY FINGERPRINTS-----`,
      `Your public key has been saved in /etc/ssh/ssh_host_ed25519_key.pub\nThe key fingerprint is:\n${printed} root@c1\nThe key's randomart image is:`,
      `[onstart] host key: ${printed} (ED25519)\r\n`,
    ];
    for (const log of logs) {
      assert.deepEqual(found(log), [['ED25519', [printed]]], log);
    }
  });

  it("are no users' keys and nothing else that looks alike", () => {
    const logs = [
      '',
      `Accepted publickey for root from 203.0.113.7 port 1 ssh2: ED25519 ${printed}`,
      `256 ${printed} ada@laptop (ED25519)`,
      `256 ${printed} ada@laptop (ED25519)\nCreating SSH2 RSA key; this may take some time ...`,
      `host key: ${printed}AAAA (ED25519)`,
      `host key: MD5:16:27:ac (RSA)`,
      `host key: ${printed}`,
    ];
    for (const log of logs) {
      assert.deepEqual(found(log), [], log);
    }
  });

  it('have the type that is next to them', () => {
    const second = fingerprintOf(other);
    const log = [
      '-----BEGIN SSH HOST KEY FINGERPRINTS-----',
      `3072 ${second} root@c1 (RSA)`,
      `256 ${printed} root@c1 (ED25519)`,
      '-----END SSH HOST KEY FINGERPRINTS-----',
    ].join('\n');
    assert.deepEqual(found(log), [
      ['RSA', [second]],
      ['ED25519', [printed]],
    ]);
  });

  it('differ only where one of the same type is another', () => {
    const log = `Creating SSH2 ED25519 key; this may take some time ...\n256 ${printed} root@c1 (ED25519)`;
    assert.equal(differsFromPrinted(known(mine), printedHostKeys(log)), false);
    assert.equal(differsFromPrinted(known(other), printedHostKeys(log)), true);
    assert.equal(differsFromPrinted(known(other), printedHostKeys('')), false, 'nothing was printed');
    const onlyRsa = printedHostKeys(log.replaceAll('ED25519', 'RSA'));
    assert.equal(differsFromPrinted(known(other), onlyRsa), false, 'another type says nothing');
    assert.equal(differsFromPrinted([], printedHostKeys(log)), false);
  });
});

describe('The host keys that a start line prints', () => {
  const token = '0123456789ab'.repeat(2);
  const printedBy = (lines: readonly string[], own = token) =>
    `[gpu-rental ${own} ${lines.map((line) => `${line.split(' ').slice(0, 2).join(' ')} `).join('')}]${own}`;
  const read = (log: string) => {
    const keys = startLineHostKeys(log, token);
    return keys && [...keys].map(([type, one]) => [type, ...one]);
  };
  const own = printedBy([mine]);
  const forged = printedBy([other], 'f'.repeat(24));

  it('are those between the tokens of the rental, with anything of other programs around them', () => {
    const logs = [
      own,
      `before\r\n${own}\r\nbehind\r\n`,
      `${forged}\n${own}\n${forged}`,
      `${own}\n${own}`,
      `2026-11-29T10:00:00Z ${own}`,
      `${'x'.repeat(3_000_000)}\n${own}`,
      `${own.slice(0, 80)}\n${own}`,
      `Creating SSH2 ED25519 key\n256 ${fingerprintOf(other)} root@c1 (ED25519)\n${own}`,
    ];
    for (const log of logs) {
      assert.deepEqual(read(log), [['ED25519', printed]], log.slice(0, 200));
    }
    assert.equal(areAllPrinted(known(mine), startLineHostKeys(own, token) ?? new Map()), true);
    assert.equal(areAllPrinted(known(other), startLineHostKeys(own, token) ?? new Map()), false);
    assert.equal(areAllPrinted([], startLineHostKeys(own, token) ?? new Map()), false);
  });

  it('are none if a line is forged, cut or the line of the script itself, or if two lines contradict each other', () => {
    const logs = [
      '',
      forged,
      own.slice(0, -1),
      own.slice(0, -40),
      own.slice(10),
      own.replace('ssh-ed25519', 'ssh-rsa'),
      hostKeyLine(token),
      `${own}\n${printedBy([other])}`,
      printedBy([mine, other]),
      `[gpu-rental ${token} ]${token}`,
    ];
    for (const log of logs) {
      assert.equal(read(log), undefined, log.slice(0, 200));
    }
    assert.equal(startLineHostKeys(own, '.*'), undefined);
  });

  it('are read in a time that grows with the length of the log alone', () => {
    const began = performance.now();
    read(`[gpu-rental ${token} ${'ssh-rsa AAAA'.repeat(100_000)}`);
    read(`[gpu-rental ${token} `.repeat(20_000));
    assert.ok(performance.now() - began < 1000);
  });
});
