import assert from 'node:assert/strict';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { filesWithSecrets, holdsSecret } from '../../support/secretScan';

const secret = 'pl4nted "sécret" &/+ 0042';

describe('the scan for secrets', () => {
  const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
  const forms: Readonly<Record<string, string | Buffer>> = {
    'as it is': `before ${secret} after`,
    'in JSON': JSON.stringify({ value: secret }),
    'in JSON within JSON': JSON.stringify({ value: JSON.stringify({ inner: secret }) }),
    'percent-encoded': `https://example.com/?q=${encodeURIComponent(secret)}&x=1`,
    'in a form': new URLSearchParams({ q: secret.replaceAll('"', "'") }).toString().replaceAll('%27', '%22'),
    'percent-encoded twice': encodeURIComponent(`a=${encodeURIComponent(secret)}`),
    'in base64': base64(secret),
    'in base64 after a user name': `Basic ${base64(`user:${secret}`)}`,
    'in base64 two letters in': base64(`ab${secret}cd`),
    'in base64 for addresses': Buffer.from(`x${secret}`).toString('base64url'),
    'in hexadecimal': Buffer.from(secret).toString('hex'),
    'in HTML': `<p>${secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}</p>`,
    'in UTF-16': Buffer.from(`x${secret}`, 'utf16le'),
    'in UTF-16, the other way round': Buffer.from(`xy${secret}`, 'utf16le').swap16(),
    'packed by gzip': gzipSync(`a log with ${secret}`),
    'packed by deflate': deflateSync(`a log with ${secret}`),
    'packed by brotli': brotliCompressSync(Buffer.concat([Buffer.alloc(20), Buffer.from(secret)])),
  };
  for (const [how, content] of Object.entries(forms)) {
    it(`finds it ${how}`, () => {
      assert.equal(holdsSecret(content, [secret]), true);
    });
  }

  it('finds nothing where it is not', () => {
    for (const content of [
      'pl4nted secret',
      base64('something else'),
      gzipSync('nothing'),
      Buffer.alloc(9),
    ]) {
      assert.equal(holdsSecret(content, [secret]), false);
    }
  });

  it('looks at all files, hidden ones and their names included, and at none that may', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'scan-'));
    try {
      mkdirSync(path.join(folder, '.hidden', 'deep'), { recursive: true });
      writeFileSync(path.join(folder, '.hidden', 'deep', '.log'), `x ${secret}`);
      writeFileSync(path.join(folder, 'planted-name-0042'), '');
      writeFileSync(path.join(folder, 'store'), secret);
      writeFileSync(path.join(folder, 'clean'), 'nothing');
      assert.deepEqual(
        filesWithSecrets(folder, [secret, 'planted-name-0042'], (file) => file === 'store'),
        [path.join('.hidden', 'deep', '.log'), 'planted-name-0042'],
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
