import assert from 'node:assert/strict';
import { keyTroubles, type KeyTroubleKind } from '../../../src/ssh/keyTrouble';
import { runPreflight, type PreflightProblem } from '../../../src/ssh/preflight';
import { explainFailure } from '../../../src/ssh/problemText';
import { systemClock } from '../../../src/util/clock';
import { formatText } from '../../../src/util/text';

const file = '/home/me/.ssh/my key';

/** Reasons of `ssherr.c` with which ssh, or its libcrypto, gives up a key file. */
const reasons: Readonly<Record<string, KeyTroubleKind>> = {
  'invalid format': 'damaged',
  'error in libcrypto': 'damaged',
  'cryptographic operation failed': 'damaged',
  'incomplete message': 'damaged',
  'unexpected bytes remain after decoding': 'damaged',
  'string is too large': 'damaged',
  'bignum is negative': 'damaged',
  'key bits do not match': 'damaged',
  'some reason of a later version': 'damaged',
  'unknown or unsupported key type': 'unsupported',
  'key encrypted using unsupported cipher': 'unsupported',
  'requested feature not supported': 'unsupported',
  'incorrect passphrase supplied to decrypt private key': 'locked',
  'Invalid key length': 'tooShort',
  'Permission denied': 'noAccess',
  'Is a directory': 'noAccess',
};

/** What ssh says about a key of its own, from OpenSSH 7.3 to 10.1 and on Windows; all that name a file name this one. */
const said: readonly (readonly [KeyTroubleKind, string])[] = [
  ...Object.entries(reasons).map(([reason, kind]) => [kind, `Load key "${file}": ${reason}`] as const),
  ['unprotected', `Permissions 0644 for '${file}' are too open.\nLoad key "${file}"Permissions: : bad`],
  ['unprotected', `Bad permissions. Try removing permissions for user: A\\\\B (S-1-5-11) on file ${file}.`],
  ['missing', `no such identity: ${file}: No such file or directory`],
  ['otherPublic', `identity_sign: private key ${file} contents do not match public`],
  ['otherPublic', `private key ${file} contents do not match public`],
  ['tooShort', `debug1: load_identity_file: Skipping key ${file}: Invalid key length`],
  ['algorithm', `debug1: Skipping ssh-dss key ${file} - not in PubkeyAcceptedKeyTypes`],
  ['algorithm', `debug1: Skipping ssh-rsa key ${file} - corresponding algo not in PubkeyAcceptedAlgorithms`],
  ['algorithm', `debug1: Skipping ssh-rsa key ${file} - corresponding algorithm not supported by server`],
  ['algorithm', 'sign_and_send_pubkey: no mutual signature supported'],
  ['algorithm', 'debug1: send_pubkey_test: no mutual signature algorithm'],
  ['algorithm', 'agent key RSA SHA256:abc returned incorrect signature type'],
  [
    'noProvider',
    `debug1: pubkey_prepare: ignoring authenticator-hosted key ${file} as no SecurityKeyProvider has been specified`,
  ],
  ['noProvider', `debug1: key "${file}" is an authenticator-hosted key, but no provider specified`],
  [
    'notSigned',
    `sign_and_send_pubkey: signing failed for ED25519 "${file}" from agent: agent refused operation`,
  ],
  ['notSigned', `sign_and_send_pubkey: signing failed for RSA "${file}": error in libcrypto`],
  ['notSigned', `sign_and_send_pubkey: signing failed for ED25519-SK "${file}": device not found`],
  ['notSigned', 'sign_and_send_pubkey: signing failed: communication with agent failed'],
  ['token', 'no pkcs11 (valid) provider found'],
  ['token', 'PKCS#11 login failed: PIN locked'],
  ['token', 'C_Initialize for provider /usr/lib/card.so failed: 5'],
  ['token', 'dlopen /usr/lib/card.so failed: cannot open shared object file'],
  ['token', 'provider /usr/lib/card.so is not a PKCS11 library'],
  ['token', 'C_Sign failed: 257'],
];

const refusal = 'root@192.0.2.1: Permission denied (publickey).';
const accepted = `debug1: Server accepts key: ${file} ED25519 SHA256:abc explicit`;
const offered = `debug1: Offering public key: ${file} ED25519 SHA256:abc explicit`;

async function login(stderr: string, identityFile: string | undefined, timedOut = false) {
  const result = await runPreflight(
    {
      run: () => Promise.resolve({ code: 255, stdout: '', stderr, timedOut }),
      clock: systemClock,
      command: ['ssh'],
      identityFile,
    },
    'gpu-7',
  );
  assert.ok(!result.ok);
  return result;
}

describe('A message of ssh about its own keys', () => {
  const problems: Partial<Record<KeyTroubleKind, PreflightProblem>> = {
    unprotected: 'unprotectedKey',
    notSigned: 'notSigned',
  };

  for (const [kind, sentence] of said) {
    for (const end of ['\n', '\r\n']) {
      it(`is known, and blames no machine: ${sentence}${end === '\n' ? '' : ', on Windows'}`, async () => {
        const stderr = [offered, accepted, ...sentence.split('\n'), refusal, ''].join(end);
        assert.equal(keyTroubles(stderr)[0]?.kind, kind);
        const failure = await login(stderr, file);
        assert.equal(failure.problem, problems[kind] ?? 'unusableKey');
        const { text, fixes } = explainFailure(failure);
        const words = formatText(text);
        assert.doesNotMatch(words, /accepts no key|did not accept|Attach/);
        assert.ok(!fixes.includes('attachKey'));
        if (sentence.includes(file)) {
          assert.ok(words.includes('/home/me/.ssh/my key'), words);
        }
      });
    }

    // A key is signed with once the machine has accepted it, whichever it is.
    if (sentence.includes(file) && kind !== 'notSigned') {
      it(`gives no reason where it is about another key of the user: ${sentence}`, async () => {
        const failure = await login([sentence, offered, refusal, ''].join('\n'), '/home/me/.ssh/other');
        assert.equal(failure.problem, 'authentication');
      });
    }
  }

  it('is no reason of a login that fails otherwise, or not at all', async () => {
    for (const [, sentence] of said) {
      const refused = await login(`${sentence}\nssh: connect to host a port 22: Connection refused\n`, file);
      assert.equal(refused.problem, 'refused', sentence);
      const out = await login(`${sentence}\nAuthenticated to 192.0.2.1 using "publickey".\n`, file, true);
      assert.equal(out.problem, 'timedOut', sentence);
    }
  });

  it('names a refused key by its file, or by its fingerprint where only an agent has it', async () => {
    const lines = {
      [`${file} ED25519 SHA256:abc explicit`]: file,
      [`${file} RSA SHA256:abc explicit agent`]: file,
      [`RSA SHA256:abc ${file}`]: file,
      '/home/me/.ssh/gpu-rental.d/gpu-7.pub ED25519 SHA256:abc explicit agent': 'SHA256:abc',
      'C:/Users/me/.ssh/gpu-rental.d/gpu-7.pub ED25519 SHA256:abc explicit agent': 'SHA256:abc',
      'RSA SHA256:abc': 'SHA256:abc',
    };
    for (const [line, name] of Object.entries(lines)) {
      const failure = await login(`debug1: Offering public key: ${line}\n${refusal}\n`, file);
      assert.deepEqual([failure.problem, failure.keysTried], ['authentication', ['SHA256:abc']], line);
      assert.equal(
        formatText(explainFailure(failure).text),
        `The instance did not accept the key ${name}. Attach a key to the instance.`,
      );
    }
  });
});
