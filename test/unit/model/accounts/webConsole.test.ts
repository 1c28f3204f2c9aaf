import assert from 'node:assert/strict';
import { consoleAddress } from '../../../../src/model/accounts/webConsole';

describe('the web console of a service', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['https://console.vast.ai', 'https://console.vast.ai/account/'],
    ['https://gpu.example.com:8443/api?x=1#y', 'https://gpu.example.com:8443/account/'],
    ['https://user:secret-key@gpu.example.com/', 'https://gpu.example.com/account/'],
    ['http://127.0.0.1:8787', undefined],
    ['http://console.vast.ai', undefined],
    ['file:///etc/passwd', undefined],
    ['console.vast.ai', undefined],
    ['', undefined],
  ];
  for (const [serviceUrl, expected] of cases) {
    it(`of ${JSON.stringify(serviceUrl)} is ${expected ?? 'none'}`, () => {
      assert.equal(consoleAddress(serviceUrl, 'account'), expected);
    });
  }
});
