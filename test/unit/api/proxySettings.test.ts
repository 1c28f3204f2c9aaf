import assert from 'node:assert/strict';
import { proxyFor, type ProxyEnvironment, type ProxySettings } from '../../../src/api/proxySettings';

const none: ProxySettings = { proxy: '', noProxy: [] };
const proxied: ProxySettings = { proxy: 'http://proxy:3128', noProxy: [] };
const ask = (url: string, settings: ProxySettings = proxied, env: ProxyEnvironment = {}) =>
  proxyFor(new URL(url), settings, env);

describe('proxyFor', () => {
  it('prefers the setting to the environment', () => {
    assert.equal(ask('https://a.example', proxied, { HTTPS_PROXY: 'http://other:1' }), 'http://proxy:3128');
  });

  for (const name of ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY']) {
    it(`uses the environment’s ${name} if the setting is empty`, () => {
      assert.equal(ask('https://a.example', none, { [name]: 'http://env:1' }), 'http://env:1');
    });
  }

  it('adds the missing scheme', () => {
    assert.equal(ask('https://a.example', none, { https_proxy: 'proxy:3128' }), 'http://proxy:3128');
  });

  it('connects directly if nothing is named', () => {
    assert.equal(ask('https://a.example', none), undefined);
    assert.equal(ask('https://a.example', { proxy: '  ', noProxy: [] }, { https_proxy: '' }), undefined);
  });

  for (const url of ['http://127.0.0.1:8787', 'http://localhost:1', 'http://[::1]:2']) {
    it(`never asks a proxy for this computer: ${url}`, () => {
      assert.equal(ask(url), undefined);
    });
  }

  const exceptions: readonly (readonly [entry: string, url: string, direct: boolean])[] = [
    ['example.com', 'https://example.com', true],
    ['example.com', 'https://api.example.com', true],
    ['.example.com', 'https://api.example.com', true],
    ['example.com', 'https://notexample.com', false],
    ['EXAMPLE.com', 'https://api.example.com', true],
    ['example.com:443', 'https://example.com', true],
    ['example.com:8443', 'https://example.com', false],
    ['example.com:8443', 'https://example.com:8443', true],
    ['*', 'https://anything.example', true],
    ['', 'https://example.com', false],
    ['a:b:c', 'https://example.com', false],
    ['example.com:80', 'http://example.com', true],
    ['[fe80::1]', 'https://[fe80::1]', true],
  ];
  for (const [entry, url, direct] of exceptions) {
    it(`${direct ? 'honours' : 'does not stretch'} the exception "${entry}" for ${url}`, () => {
      assert.equal(
        ask(url, { proxy: 'http://p:1', noProxy: ['other.example', entry] }),
        direct ? undefined : 'http://p:1',
      );
      assert.equal(
        ask(url, { proxy: 'http://p:1', noProxy: [] }, { NO_PROXY: `a.example, ${entry}` }),
        direct ? undefined : 'http://p:1',
      );
    });
  }

  it('uses the exceptions of the environment only if the setting has none', () => {
    const settings = { proxy: 'http://p:1', noProxy: ['other.example'] };
    assert.equal(ask('https://a.example', settings, { no_proxy: 'a.example' }), 'http://p:1');
    assert.equal(
      ask('https://a.example', { ...settings, noProxy: [' '] }, { no_proxy: 'a.example' }),
      undefined,
    );
  });
});
