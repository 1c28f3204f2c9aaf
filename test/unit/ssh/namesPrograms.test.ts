import assert from 'node:assert/strict';
import { namesPrograms } from '../../../src/ssh/namesPrograms';

const own = '~/.ssh/gpu-rental.d/*.conf';

describe('An SSH config', () => {
  const running = [
    'ProxyCommand nc %h %p',
    '  proxycommand=nc',
    '\t"ProxyCommand" nc',
    'LocalCommand id',
    'KnownHostsCommand /tmp/keys',
    'PKCS11Provider /tmp/lib.so',
    'SmartcardDevice /tmp/lib.so',
    'SecurityKeyProvider=/tmp/lib.so',
    'XAuthLocation /tmp/xauth',
    'Match host a exec "id"',
    'MATCH !EXEC "id"',
    'Include ~/other',
    `Include ${own} ~/other`,
  ];
  for (const line of running) {
    it(`runs programs: ${JSON.stringify(line)}`, () => {
      assert.equal(namesPrograms(`Host a\n  Port 22\r\n${line}\nHost b`, own), true);
    });
  }

  it('runs none if it only states where to log in, and as whom', () => {
    const harmless = `# ProxyCommand nc\nInclude ${own}\nHost a b\n  HostName 192.0.2.1\n  ProxyJump b\n  Port 22\n`;
    assert.equal(namesPrograms(harmless, own), false);
    assert.equal(namesPrograms('', own), false);
  });
});
