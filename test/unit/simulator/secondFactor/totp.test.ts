import assert from 'node:assert/strict';
import { TOTP, Secret } from 'otpauth';
import {
  fromBase32,
  matchTotp,
  newTotpSecret,
  provisioningUri,
  toBase32,
  totpAt,
} from '../../../../src/simulator/secondFactor/totp';

const rfcSecret = toBase32(Buffer.from('12345678901234567890'));

describe('totp', () => {
  it('gives the codes of the examples in RFC 6238, appendix B', () => {
    const lastSix: [number, string][] = [
      [59, '287082'],
      [1111111109, '081804'],
      [1111111111, '050471'],
      [1234567890, '005924'],
      [2000000000, '279037'],
      [20000000000, '353130'],
    ];
    for (const [time, code] of lastSix) {
      assert.equal(totpAt(rfcSecret, time), code);
    }
  });

  it('agrees with another implementation for random secrets and times', () => {
    for (let round = 0; round < 200; round += 1) {
      const secret = newTotpSecret();
      const time = Math.floor(Math.random() * 4e9);
      const other = new TOTP({ secret: Secret.fromBase32(secret) });
      assert.equal(totpAt(secret, time), other.generate({ timestamp: time * 1000 }));
    }
  });

  it('reads base32 back, with any case, spaces or padding', () => {
    for (let length = 1; length < 40; length += 1) {
      const bytes = Buffer.from(Array.from({ length }, (_, index) => (index * 37 + length) % 256));
      const text = toBase32(bytes);
      assert.deepEqual(fromBase32(text), bytes);
      assert.deepEqual(fromBase32(`${text.toLowerCase().slice(0, 2)} ${text.slice(2)}==`), bytes);
    }
  });

  it('refuses text that is no base32', () => {
    assert.equal(fromBase32('ABC1'), undefined);
    assert.equal(fromBase32(''), undefined);
    assert.equal(totpAt('not base32!', 0), undefined);
  });

  it('accepts the code of the step before and after, and none further off', () => {
    const code = totpAt(rfcSecret, 3000) ?? '';
    assert.equal(matchTotp(rfcSecret, code, 3000), 100);
    assert.equal(matchTotp(rfcSecret, code, 3030), 100);
    assert.equal(matchTotp(rfcSecret, code, 2970), 100);
    assert.equal(matchTotp(rfcSecret, code, 3060), undefined);
    assert.equal(matchTotp(rfcSecret, code, 2940), undefined);
  });

  it('accepts one code once', () => {
    const code = totpAt(rfcSecret, 3000) ?? '';
    const step = matchTotp(rfcSecret, code, 3000);
    assert.equal(matchTotp(rfcSecret, code, 3000, step), undefined);
  });

  it('makes an address that an authenticator reads', () => {
    const uri = provisioningUri(rfcSecret, 'ada+test@example.com');
    const read = new URL(uri);
    assert.equal(read.protocol, 'otpauth:');
    assert.equal(read.searchParams.get('secret'), rfcSecret);
    assert.equal(read.searchParams.get('issuer'), 'GPU Rental Simulator');
    assert.ok(decodeURIComponent(uri).includes('ada+test@example.com'));
  });
});
