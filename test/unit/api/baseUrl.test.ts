import assert from 'node:assert/strict';
import { parseBaseUrl, resolveUrl, ServiceAddressError } from '../../../src/api/baseUrl';

describe('parseBaseUrl', () => {
  it('keeps a path prefix and drops its final slash', () => {
    assert.equal(parseBaseUrl(' https://gpu.example.com/market// ').pathname, '/market');
  });

  for (const address of [
    'http://127.0.0.1:8787',
    'http://localhost:1',
    'http://[::1]:9',
    'http://127.9.9.9',
  ]) {
    it(`accepts plain http on loopback: ${address}`, () => {
      assert.equal(parseBaseUrl(address).protocol, 'http:');
    });
  }

  const refused: readonly (readonly [string, RegExp])[] = [
    ['http://example.com', /https only/],
    ['http://127.0.0.1.example.com', /https only/],
    ['http://localhost.example.com', /https only/],
    ['http://10.0.0.1', /https only/],
    ['ftp://example.com', /https only/],
    ['https://user:pw@example.com', /user name/],
    ['https://example.com/?a=1', /query/],
    ['https://example.com/#a', /fragment/],
    ['console.example.com', /not a web address|https only/],
    ['', /not a web address/],
  ];
  for (const [address, reason] of refused) {
    it(`refuses "${address}" and explains why`, () => {
      assert.throws(
        () => parseBaseUrl(address),
        (error) =>
          error instanceof ServiceAddressError &&
          reason.test(error.message) &&
          error.nextStep === 'openSettings',
      );
    });
  }
});

describe('resolveUrl', () => {
  it('puts a path below the prefix and leaves out unset query values', () => {
    const url = resolveUrl(parseBaseUrl('https://gpu.example.com/market/'), '/api/v1/instances/', {
      limit: 25,
      after_token: undefined,
      filter: '{"a":1}&b',
    });
    assert.equal(
      url.href,
      'https://gpu.example.com/market/api/v1/instances/?limit=25&filter=%7B%22a%22%3A1%7D%26b',
    );
  });

  it('keeps an encoded slash in a segment', () => {
    assert.equal(
      resolveUrl(parseBaseUrl('https://x.example'), '/api/v0/team/roles/a%2Fb/').href,
      'https://x.example/api/v0/team/roles/a%2Fb/',
    );
  });
});
