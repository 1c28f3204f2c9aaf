import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { aliasOf } from '../../../src/ssh/alias';
import { commandLine, sshCommand } from '../../../src/ssh/commandLine';
import { endpointsOf } from '../../../src/ssh/endpoints';
import { parseHost, renderHost, type HostEntry } from '../../../src/ssh/hostConfig';
import { configPath, tokenPath, UnusablePathError } from '../../../src/ssh/paths';
import { plainText } from '../../../src/ssh/plainText';
import { parsePublicKey } from '../../../src/ssh/publicKey';
import { checkHost, checkId, checkPort, isAlias, UnsafeValueError } from '../../../src/ssh/validate';
import { hostileText as hostile } from '../../support/hostileText';
import { sized } from '../../support/seeded';

const anything = fc.oneof(
  hostile,
  fc.double(),
  fc.integer(),
  fc.constantFrom(null, undefined, true, {}, [], ['a'], { toString: 'x' }),
);

const hostOnly = /^[A-Za-z0-9][A-Za-z0-9._:-]*$|^:[0-9A-Fa-f:.]+$/;

function refuses(run: () => unknown): boolean {
  try {
    run();
    return false;
  } catch (error) {
    assert.ok(error instanceof UnsafeValueError || error instanceof UnusablePathError, String(error));
    return true;
  }
}

const entry: HostEntry = {
  alias: 'gpu-7',
  endpoint: { kind: 'direct', host: 'a.example.com', port: 22 },
  identityFile: '/home/me/.ssh/id_ed25519',
  forwardAgent: false,
  account: '0123456789abcdef',
};

describe('Hostile values', () => {
  it('are no host unless they are plain names or addresses', () => {
    fc.assert(
      fc.property(anything, (value) => {
        if (!refuses(() => checkHost(value))) {
          assert.ok(typeof value === 'string' && value.length <= 253);
          assert.match(value, hostOnly);
        }
      }),
      { numRuns: sized(500, 10_000) },
    );
  });

  it('are refused in the forms that attacks have', () => {
    const attacks = [
      ...[
        '-oProxyCommand=touch /tmp/x',
        '--',
        '-',
        'a b',
        'a\nProxyCommand id',
        'a\r\nHost *',
        '',
        '.',
        'a..b',
      ],
      ...[
        '%h',
        '$(id)',
        '`id`',
        'a;id',
        'a"b',
        "a'b",
        'a\\b',
        'root@host',
        'host:22',
        '[::1]',
        'fe80::1%eth0',
      ],
      ...[
        'a\u202eb',
        'a\u200bb',
        'ex\u0430mple.com',
        'a#b',
        'a=b',
        '*',
        '!a',
        'a'.repeat(64),
        'a.'.repeat(130),
        ...['2130706433', '127.1', '0x7f000001', 'a.0x1', '1.2.3.256', '1.2.3.4.5'],
      ],
    ];
    assert.deepEqual(
      attacks.filter((value) => !refuses(() => checkHost(value))),
      [],
    );
    for (const good of [
      'ssh5.vast.ai',
      '192.0.2.1',
      '2001:db8::1',
      'localhost',
      'a-b.example',
      'xn--bcher-kva.de',
    ]) {
      assert.equal(checkHost(good), good);
    }
  });

  it('are no port and no id unless they are such whole numbers', () => {
    fc.assert(
      fc.property(anything, (value) => {
        if (!refuses(() => checkPort(value))) {
          assert.ok(Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535);
        }
        if (!refuses(() => checkId(value))) {
          assert.ok(Number.isSafeInteger(value) && Number(value) > 0);
        }
      }),
    );
  });

  it('never reach the file of an instance', () => {
    const field = fc.constantFrom('host', 'port', 'alias', 'identityFile', 'knownHosts', 'account');
    fc.assert(
      fc.property(field, anything, (name, value) => {
        const bad = value as never;
        const endpoint = {
          ...entry.endpoint,
          ...(name === 'host' ? { host: bad } : {}),
          ...(name === 'port' ? { port: bad } : {}),
        };
        const hostileEntry: HostEntry = { ...entry, ...(name in entry ? { [name]: bad } : {}), endpoint };
        let text: string;
        try {
          text = renderHost(hostileEntry, name === 'knownHosts' ? bad : '/home/me/known_hosts', false);
        } catch {
          return;
        }
        // Whatever got in got in as one plain value on the line that is meant for it.
        const lines = text.split('\n');
        const plain = renderHost(entry, '/home/me/known_hosts', false).split('\n');
        const shape = (all: string[]) => all.map((line) => line.trim().split(' ', 1)[0]).join();
        const wanted = value === undefined && name === 'identityFile';
        assert.equal(shape(lines), wanted ? shape(plain.filter((l) => !/Identit/.test(l))) : shape(plain));
        assert.doesNotMatch(text.replaceAll('\n', ''), /[\u0000-\u001f\u007f]/);
      }),
      { numRuns: sized(500, 10_000) },
    );
  });

  it('never reach a command line: an alias is ours or is refused', () => {
    fc.assert(
      fc.property(anything, (value) => {
        const alias = value as string;
        if (!refuses(() => sshCommand(['ssh'], alias))) {
          assert.match(alias, /^gpu-[a-f0-9demo-]+$/);
        }
      }),
    );
    fc.assert(
      fc.property(fc.webUrl(), hostile, fc.boolean(), fc.integer({ min: 1 }), (url, junk, isDemo, id) => {
        for (const serviceUrl of [url, junk]) {
          assert.ok(isAlias(aliasOf({ serviceUrl, isDemo }, id)));
        }
      }),
    );
  });

  it('leave an address out and keep the good one; with none left, they are refused', () => {
    fc.assert(
      fc.property(hostile, (host) => {
        const good = { sshHost: 'ssh5.vast.ai', sshPort: 15_001, runtype: 'ssh_proxy' };
        const ports = [{ containerPort: 22, protocol: 'tcp', hostPort: 41_022 }];
        for (const endpoint of endpointsOf({ publicIp: host, ports, ...good })) {
          assert.match(endpoint.host, hostOnly);
        }
        refuses(() => endpointsOf({ publicIp: host, ports }));
      }),
    );
    assert.throws(() => endpointsOf({ sshHost: 'a\nb', sshPort: 22 }), UnsafeValueError);
  });

  it('can’t turn a path of this computer into options', () => {
    fc.assert(
      fc.property(hostile, (path) => {
        if (!refuses(() => configPath(path))) {
          const written = tokenPath(path);
          assert.doesNotMatch(written.replace(/^"|"$/g, ''), /["\u0000-\u001f]|\$\{/);
          assert.ok(!/[\s#']/.test(written) || written.startsWith('"'));
        }
      }),
    );
  });

  it('are read as they were written, or not at all', () => {
    fc.assert(
      fc.property(hostile, (content) => {
        assert.equal(parseHost('gpu-7', content), undefined);
      }),
    );
    assert.deepEqual(parseHost('gpu-7', renderHost(entry, '/k', false)), entry);
    const spaced = { ...entry, identityFile: '/home/a b/100%/id' };
    assert.deepEqual(parseHost('gpu-7', renderHost(spaced, '/k', false)), spaced);
    assert.equal(parseHost('gpu-8', renderHost(entry, '/k', false)), undefined);
  });

  it('can’t drive a terminal or turn the text around when they are shown', () => {
    fc.assert(
      fc.property(hostile, (value) => {
        assert.doesNotMatch(plainText(value), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        assert.ok(plainText(value).length <= 401);
      }),
    );
    // A notification makes a link of it, and a click runs the command.
    assert.doesNotMatch(plainText('[Fix it](command:x) [a]\u001b[0m(command:y)'), /\]\(/);
    assert.equal(plainText('\u001b[31mred\u001b[0m \u001b]0;title\u0007end'), 'red end');
  });

  it('are no public key', () => {
    fc.assert(
      fc.property(hostile, (value) => {
        assert.equal(parsePublicKey(value), undefined);
        assert.equal(parsePublicKey(`ssh-ed25519 ${value}`), undefined);
      }),
    );
  });

  it('are quoted in the line that is copied', () => {
    const command = ['ssh', '-F', "/home/a b/it's", 'gpu-7'] as const;
    assert.equal(commandLine(command, 'linux'), "ssh -F '/home/a b/it'\\''s' gpu-7");
    assert.equal(commandLine(command, 'win32'), "ssh -F '/home/a b/it''s' gpu-7");
    const typographic = commandLine(['ssh', '-F', 'C:/O\u2019Neil; calc #', 'gpu-7'], 'win32');
    assert.equal(typographic, "ssh -F 'C:/O\u2019\u2019Neil; calc #' gpu-7");
    assert.equal(commandLine(['C:\\a b\\ssh.exe', 'gpu-7'], 'win32'), "& 'C:\\a b\\ssh.exe' gpu-7");
  });
});
