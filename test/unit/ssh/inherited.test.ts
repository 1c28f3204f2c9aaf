import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { crowdingLine, inherited, printedLines } from '../../../src/ssh/inherited';
import { explainVerification } from '../../../src/ssh/problemText';
import type { SshService } from '../../../src/ssh/service';
import { formatText } from '../../../src/util/text';
import { seeded, sized, testSeed } from '../../support/seeded';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';
import { freePort, SshMachine } from '../../support/sshMachine';
import { until } from '../../support/until';

/** Two values for each option that takes several, in one line or in many: those of arrays in readconf.c of OpenSSH. */
const several: Readonly<Record<string, readonly [string, string]>> = {
  IdentityFile: ['/a/one', '/a/two'],
  CertificateFile: ['/a/one-cert.pub', '/a/two-cert.pub'],
  LocalForward: ['8001 one:80', '8002 two:80'],
  RemoteForward: ['8001 one:80', '8002 two:80'],
  DynamicForward: ['8001', '8002'],
  SendEnv: ['ONE', 'TWO'],
  SetEnv: ['ONE=1', 'TWO=2'],
  PermitRemoteOpen: ['one:80', 'two:80'],
  CanonicalDomains: ['one.example', 'two.example'],
  CanonicalizePermittedCNAMEs: ['*.one:*.example', '*.two:*.example'],
  GlobalKnownHostsFile: ['/a/one', '/a/two'],
  UserKnownHostsFile: ['/a/one', '/a/two'],
  LogVerbose: ['one.c:*:1', 'two.c:*:2'],
  RevokedHostKeys: ['/a/one', '/a/two'],
  IgnoreUnknown: ['One', 'Two'],
  Ciphers: ['aes128-ctr', 'aes256-ctr'],
  HostKeyAlgorithms: ['ssh-ed25519', 'rsa-sha2-256'],
  IPQoS: ['af21 cs1', 'af11 cs2'],
  ProxyJump: ['one', 'two'],
  ProxyCommand: ['nc one', 'nc two'],
  KnownHostsCommand: ['/bin/one', '/bin/two'],
  Tunnel: ['ethernet', 'point-to-point'],
};

/** Lines for all hosts with an effect beside ours; `%` is a number of its own for each line. */
const adding: Readonly<Record<string, string>> = {
  identityfile: 'IdentityFile /keys/work%',
  certificatefile: 'CertificateFile /keys/work%-cert.pub',
  localforward: 'LocalForward 81% localhost:80',
  dynamicforward: 'DynamicForward 82%',
  remoteforward: 'RemoteForward 83% localhost:22',
  sendenv: 'SendEnv TOKEN_%',
  setenv: 'SetEnv TOKEN_%=abc',
  sessiontype: 'SessionType none',
  stdinnull: 'StdinNull yes',
};

/** Lines of a user that a login in the background keeps. */
const kept = [
  'AddressFamily inet',
  'AddKeysToAgent yes',
  'AddKeysToAgent confirm 30',
  'BindAddress 127.0.0.1',
  'CASignatureAlgorithms ssh-ed25519',
  'Ciphers aes128-ctr,aes256-ctr',
  'Compression yes',
  'ConnectionAttempts 3',
  'EscapeChar none',
  'FingerprintHash md5',
  'GatewayPorts yes',
  'HostKeyAlgorithms ssh-ed25519,rsa-sha2-256',
  'IPQoS af21 cs1',
  'IdentityAgent "/run/my agent/socket"',
  'KbdInteractiveAuthentication no',
  'KexAlgorithms curve25519-sha256',
  'KnownHostsCommand /bin/false "%H" more',
  'LogVerbose one.c:*:1,two.c:*:2',
  'MACs hmac-sha2-256',
  'NumberOfPasswordPrompts 1',
  'PermitRemoteOpen one:80 two:80',
  'PKCS11Provider "/opt/my card/module.so"',
  'ProxyCommand nc -X "5 or so" %h %p # as it is',
  'ProxyUseFdpass yes',
  'RekeyLimit 1G 1h',
  'RequiredRSASize 2048',
  'RevokedHostKeys /keys/revoked',
  'StreamLocalBindMask 0077',
  'TCPKeepAlive no',
  'VerifyHostKeyDNS yes',
  'VisualHostKey yes',
];

describe('Lines for all hosts that count beside an entry', () => {
  let home: SshHome;
  beforeEach(() => {
    home = new SshHome();
  });
  afterEach(() => home.dispose());

  const resolved = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await home.run('ssh', args);
    assert.equal(code, 0, stderr);
    return stdout;
  };

  it('are of the options that add up, each of which has a rule', async () => {
    const addUp: string[] = [];
    for (const [option, [first, second]] of Object.entries(several)) {
      home.write(`Host gpu-7\n  HostName 192.0.2.1\n  ${option} ${first}\nHost *\n  ${option} ${second}\n`);
      const alone = await resolved('-F', home.configFile, '-G', 'gpu-7');
      const lines = alone
        .split('\n')
        .filter((line) => line.toLowerCase().startsWith(`${option.toLowerCase()} `));
      if (lines.length > 1) {
        addUp.push(option.toLowerCase());
      }
    }
    assert.deepEqual(
      addUp.filter((option) => !(option in inherited)),
      [],
    );
    assert.deepEqual(
      [
        'identityfile',
        'certificatefile',
        'localforward',
        'remoteforward',
        'dynamicforward',
        'sendenv',
      ].filter((option) => !addUp.includes(option)),
      [],
      'ssh still works as the table says',
    );
    assert.deepEqual(Object.keys(adding).sort(), Object.keys(inherited).sort());
  });

  /** What each kind of login in the background would do, by `ssh -G` for its arguments. */
  async function inBackground(ssh: SshService, calls: (readonly string[])[]): Promise<readonly string[]> {
    calls.length = 0;
    const host = { host: '192.0.2.9', port: 22 };
    await ssh.connect(request(), {}).catch(() => undefined);
    await ssh.exec('gpu-7', 'true');
    await ssh.execOnHost('gpu-7', host, {});
    await ssh.forward('gpu-7', { remotePort: 80, localPort: await freePort() }).catch(() => undefined);
    assert.equal(calls.length, 4, 'each starts one ssh');
    const printed: string[] = [];
    for (const args of calls) {
      const plain = args.filter((arg) => arg !== '-v');
      const stdout = await resolved('-G', ...plain);
      // Each call has a port and a file of its own.
      printed.push(
        stdout.replace(/^(?:localforward \[?127\.0\.0\.1.*|userknownhostsfile.*|canonical.*)$/gm, ''),
      );
    }
    return printed;
  }

  let key = '';
  const request = () => ({
    account: sshAccount,
    instanceId: 7,
    instance: sshInstance(41_022, { publicIp: '192.0.2.1' }),
    registeredKeys: [key],
  });

  function recording(calls: (readonly string[])[], socket?: string) {
    return home.service({
      probe: () => Promise.resolve('ssh'),
      run: (program, args, options) => {
        if (program !== 'ssh' || args.includes('-G')) {
          return home.run(program, args, { ...options, env: { SSH_AUTH_SOCK: socket ?? '' } });
        }
        calls.push(args);
        return Promise.resolve({ code: 0, stdout: '', stderr: '', timedOut: false });
      },
      ...(socket === undefined ? {} : { agentSocket: socket }),
    });
  }

  it('leave a login in the background as it is without them, with any other lines of the config', async () => {
    key = home.key('id_gpu');
    const calls: (readonly string[])[] = [];
    const ssh = recording(calls);
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom(...kept), { maxLength: 6, selector: (line) => line.split(' ')[0] }),
        fc.array(
          fc.record({
            option: fc.constantFrom(...Object.keys(adding)),
            times: fc.integer({ min: 1, max: 7 }),
          }),
          { minLength: 1, maxLength: 3 },
        ),
        async (lines, more) => {
          const own = more.flatMap(({ option, times }, place) =>
            Array.from(
              { length: times },
              (_, index) => adding[option]?.replaceAll('%', `${place}${index}`) ?? '',
            ),
          );
          const block = lines.map((line) => `  ${line}`).join('\n');
          home.write(`Host *\n${block}\n`);
          const without = await inBackground(ssh, calls);
          home.write(`Host *\n${own.map((line) => `  ${line}`).join('\n')}\n${block}\n`);
          const withThem = await inBackground(ssh, calls);
          const measures = /^(?:identityagent|pubkeyacceptedalgorithms) .*$/gm;
          const isCrowded = (await ssh.entry('gpu-7'))?.withoutAgent === true;
          const seen = (text: string) =>
            (isCrowded ? text.replace(measures, '') : text)
              .replace(/^(localcommand echo) .*$/m, '$1')
              .split('\n')
              .filter(Boolean);
          for (const [index, text] of withThem.entries()) {
            // A few keys more are no harm, so that they stay: the same login needs no second look at the config.
            const few = (line: string) => !/^(?:identity|certificate)file \/keys/.test(line);
            assert.deepEqual(seen(text).filter(few), seen(without[index] ?? ''), own.join(', '));
            assert.ok(seen(text).filter((line) => !few(line)).length <= 2, text);
            assert.equal(/^identityfile (.*)$/m.exec(text)?.[1], join(home.sshDir, 'id_gpu'));
          }
        },
      ),
      { seed: testSeed, numRuns: sized(5, 200) },
    );
  });

  describe('and a window, a terminal or a copied command, which use the entry', () => {
    /** The lines before or after our Include; a managed file has it where its owner put it. */
    const places = ['before', 'after'] as const;
    const write = (lines: readonly string[], place: (typeof places)[number]) => {
      const block = `Host *\n${lines.map((line) => `  ${line}\n`).join('')}`;
      const include = `Include ${home.ownDir}/*.conf\n`;
      rmSync(home.configFile, { force: true });
      home.write(place === 'before' ? `${block}${include}` : `${include}${block}`, home.configFile, 0o400);
    };
    const seven = (option: string) =>
      Array.from({ length: 7 }, (_, index) => adding[option]?.replaceAll('%', String(index)) ?? '');

    for (const place of places) {
      for (const [option, { effect }] of Object.entries(inherited)) {
        it(`are harmless or named: ${option} ${place} ours`, async () => {
          key = home.key('id_gpu');
          write(seven(option), place);
          const { verification } = await recording([]).writeEntry(request());
          const isFirstKey = option === 'identityfile' && place === 'before';
          // -* in our entry cancels what stands above it.
          const isCancelled = option === 'sendenv' && place === 'before';
          if (effect === 'opensPorts' || isCancelled || (effect === 'crowdsOut' && !isFirstKey)) {
            assert.deepEqual(verification, { kind: 'equal' });
          } else {
            const words = formatText(explainVerification(verification)?.text ?? '');
            assert.match(words, new RegExp(`^Line \\d+ of .*"${seven(option)[0]?.split(' ')[0] ?? ''} `));
          }
          const [, ...args] = recording([]).command('gpu-7');
          const lines = printedLines(await resolved('-G', ...args));
          const value = (name: string) => lines.find((line) => line.option === name)?.value ?? '';
          if (effect === 'crowdsOut' && !isFirstKey) {
            assert.equal(value('identityfile'), join(home.sshDir, 'id_gpu'));
            assert.equal(value('identityagent'), 'none');
            assert.equal(value('pubkeyacceptedalgorithms').includes('-cert-'), option !== 'certificatefile');
          }
        });
      }
    }

    it('are named where only an agent holds the key, which it offers after all the others', async () => {
      const socket = join(home.root, 'agent.sock');
      const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
      try {
        key = home.key('id_gpu');
        const env = { env: { SSH_AUTH_SOCK: socket } };
        const file = join(home.sshDir, 'id_gpu');
        await until('the agent', async () => (await home.run('ssh-add', ['-l'], env)).code !== 2);
        assert.equal((await home.run('ssh-add', ['-q', file], env)).code, 0);
        rmSync(file);
        rmSync(`${file}.pub`);
        write(seven('identityfile'), 'after');
        const calls: (readonly string[])[] = [];
        const ssh = recording(calls, socket);
        const { verification } = await ssh.writeEntry(request());
        const words = formatText(explainVerification(verification)?.text ?? '');
        assert.match(words, /^Line 3 of .* more keys than a machine allows .*"IdentityFile \/keys\/work0"/);
        await ssh.exec('gpu-7', 'true');
        const stdout = await resolved('-G', ...(calls[0] ?? []));
        assert.deepEqual(stdout.match(/^identityfile .*$/gm), [`identityfile ${home.ownDir}/gpu-7.pub`]);
        write(seven('identityfile').slice(0, 5), 'after');
        assert.deepEqual((await ssh.writeEntry(request())).verification, { kind: 'equal' });
      } finally {
        agent.kill();
      }
    });

    it('are measured by their number, of keys and certificates together', () => {
      const lines = (files: number, certificates: number) => [
        { option: 'identityfile', value: '/ours' },
        ...Array.from({ length: files }, () => ({ option: 'identityfile', value: '/other' })),
        ...Array.from({ length: certificates }, () => ({ option: 'certificatefile', value: '/cert' })),
      ];
      const random = seeded(testSeed);
      for (let tries = 0; tries < 200; tries += 1) {
        const [files, certificates] = [Math.floor(random() * 8), Math.floor(random() * 8)];
        const withoutAgent = random() < 0.5;
        const withoutCertificates = random() < 0.5;
        const before = (withoutAgent ? 0 : files) + (withoutCertificates ? 0 : certificates);
        const found = crowdingLine(lines(files, certificates), {
          identityFile: '/ours',
          withoutAgent,
          withoutCertificates,
        });
        assert.equal(found !== undefined, before >= 6, `${files} ${certificates}`);
      }
    });
  });

  it('leave a jump host of the user in use, which has its own lines', async () => {
    const [jump, machine] = [new SshMachine(), new SshMachine()];
    try {
      await Promise.all([jump.start(), machine.start()]);
      key = home.key('id_gpu');
      jump.authorize(home.key('id_jump'));
      machine.authorize(key);
      const busy = await freePort();
      const hop = [
        'Host hop',
        '  HostName 127.0.0.1',
        `  Port ${jump.port}`,
        `  IdentityFile ${home.sshDir}/id_jump`,
        '  StrictHostKeyChecking accept-new',
        `  UserKnownHostsFile ${home.root}/known`,
      ];
      const all = ['Host *', `  LocalForward ${busy} localhost:22`, '  ProxyJump hop'];
      home.write([...hop, 'Host hop', '  ProxyJump none', ...all, ''].join('\n'));
      const ssh = home.service();
      const { preflight } = await ssh.connect({ ...request(), instance: sshInstance(machine.port) });
      assert.ok(preflight.ok, JSON.stringify(preflight));
      assert.equal((await ssh.exec('gpu-7', 'echo done')).stdout, 'done\n');
    } finally {
      await Promise.all([jump.dispose(), machine.dispose()]);
    }
  });
});
