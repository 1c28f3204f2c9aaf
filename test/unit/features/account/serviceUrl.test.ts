import assert from 'node:assert/strict';
import { normalizeServiceUrl, serviceUrlProblem } from '../../../../src/features/account/serviceUrl';

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
