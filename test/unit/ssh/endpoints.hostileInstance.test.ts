import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { NotUnderstoodError } from '../../../src/api/errors';
import type { Instance } from '../../../src/model/instances/instance';
import { instanceName } from '../../../src/model/instances/instanceLabel';
import { ScriptAnswer } from '../../../src/ssh/answer';
import { endpointsOf } from '../../../src/ssh/endpoints';
import { NoAddressError, type PrepareRequest } from '../../../src/ssh/prepareHost';
import type { Probe } from '../../../src/ssh/probe';
import { explainFailure, explainVerification } from '../../../src/ssh/problemText';
import { publicPortsOf, withJupyterToken } from '../../../src/ssh/publicPorts';
import { isRemotePath, parseFolders } from '../../../src/ssh/remoteFolders';
import type { Run, RunResult } from '../../../src/ssh/run';
import { UnsafeValueError } from '../../../src/ssh/validate';
import { plainLabel } from '../../../src/util/plainLabel';
import { formatText } from '../../../src/util/text';
import { calls } from '../../support/everyCall';
import { scriptedClient } from '../../support/fakeTransport';
import { hostileText } from '../../support/hostileText';
import { sized } from '../../support/seeded';
import { SshHome } from '../../support/sshHome';
import { sshAccount, sshInstance } from '../../support/sshInstance';

/** A whole record as the service sends it, with an address of each kind. */
const record = {
  ...(calls['instances.get'].example as { instances: Record<string, unknown> }).instances,
  id: 7,
  actual_status: 'running',
  image_runtype: 'jupyter_direc ssh_direc ssh_proxy',
  public_ipaddr: '192.0.2.1',
  ports: {
    '22/tcp': [{ HostIp: '0.0.0.0', HostPort: '41022' }],
    '8080/tcp': [{ HostIp: '0.0.0.0', HostPort: '41080' }],
  },
  ssh_host: 'ssh5.example.com',
  ssh_port: 15001,
  label: 'trainer',
  jupyter_token: 'abcdefgh12345678',
};

/** Every text in the record, and the keys of the port table, by its place. */
function places(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) {
    return [path];
  }
  const inner = Object.entries(value).flatMap(([key, child]) => places(child, [...path, key]));
  return path[0] === 'ports' && path.length === 1 ? [...inner, ['ports', 'new']] : inner;
}

function replaced(value: unknown, [key = '', ...rest]: readonly string[], by: unknown): unknown {
  const copy = structuredClone(value) as Record<string, unknown>;
  if (key === 'new') {
    copy[String(by)] = [{ HostIp: String(by), HostPort: String(by) }];
  } else {
    copy[key] = rest.length === 0 ? by : replaced(copy[key], rest, by);
  }
  return copy;
}

async function decoded(wire: unknown): Promise<Instance | undefined> {
  const { client, finish } = scriptedClient([{ json: { instances: wire } }]);
  try {
    return await finish(client.instances.get(7));
  } catch (error) {
    assert.ok(error instanceof NotUnderstoodError, String(error));
    return undefined;
  }
}

const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
/** What stands in the file of an instance, line by line. */
const configLines = [
  /^# Written by GPU Rental and overwritten by it\.$/,
  /^# account [0-9a-f]{16} endpoint (?:direct|proxy)(?: proved)?$/,
  /^Host gpu-7$/,
  /^ {2}HostName [A-Za-z0-9._:-]+$/,
  /^ {2}Port \d{1,5}$/,
  /^ {2}User root$/,
  /^ {2}PubkeyAuthentication yes$/,
  /^ {2}PreferredAuthentications publickey$/,
  /^ {2}HostKeyAlias gpu-7$/,
  /^ {2}UserKnownHostsFile \/[\w./-]+\/known_hosts$/,
  /^ {2}GlobalKnownHostsFile none$/,
  /^ {2}StrictHostKeyChecking ask$/,
  /^ {2}HashKnownHosts no$/,
  /^ {2}CheckHostIP no$/,
  /^ {2}UpdateHostKeys no$/,
  /^ {2}IdentityFile \/[\w./-]+$/,
  /^ {2}IdentitiesOnly yes$/,
  /^ {2}ForwardAgent no$/,
  /^ {2}ForwardX11(?:Trusted)? no$/,
  /^ {2}Tunnel no$/,
  /^ {2}SendEnv -\*$/,
  /^ {2}ConnectTimeout 20$/,
  /^ {2}ServerAliveInterval 15$/,
  /^ {2}ServerAliveCountMax 3$/,
];

/** For each property. */
const runs = sized(100, 2_000);

/** The command of each login, but for its random marks. */
const marks = / [0-9a-f]{12} [0-9a-f]{12}(?= |$)/;
const bootstrap = new ScriptAnswer(true).command.replace(marks, '');

describe('With any answer of the service about an instance', () => {
  let home: SshHome;
  let key: string;

  before(() => {
    home = new SshHome();
    key = home.key();
  });
  after(() => home.dispose());

  const anyField = fc
    .tuple(fc.constantFrom(...places(record)), fc.oneof(hostileText, hostileText, fc.double(), fc.integer()))
    .map(([place, value]) => replaced(record, place, value));

  const isProofFile = (arg: string) => {
    const [option, ...rest] = arg.split(join(home.ownDir, '.proof.gpu-rental-'));
    return option === 'UserKnownHostsFile=' && /^[0-9a-f]{12}$/.test(rest.join());
  };

  it('reaches no config and no command line but as a plain address and port', async () => {
    let written = 0;
    await fc.assert(
      fc.asyncProperty(anyField, async (wire) => {
        const instance = await decoded(wire);
        const commands: string[][] = [];
        const run: Run = (program, args) => {
          commands.push([program, ...args]);
          return Promise.resolve({ code: 0, stdout: '', stderr: '', timedOut: false });
        };
        const probed: string[] = [];
        const probe: Probe = ({ host, port }) => {
          probed.push(`${host} ${port}`);
          return Promise.resolve('ssh');
        };
        const ssh = home.service({ run, probe });
        try {
          await ssh.connect({ account: sshAccount, instanceId: 7, instance, registeredKeys: [key] });
          written += 1;
        } catch (error) {
          assert.ok(error instanceof UnsafeValueError || error instanceof NoAddressError, String(error));
          assert.doesNotMatch(error.message, hidden);
        }
        for (const name of readdirSync(home.ownDir).filter((file) => file.endsWith('.conf'))) {
          assert.equal(name, 'gpu-7.conf');
          for (const line of home.read(join(home.ownDir, name)).split('\n').slice(0, -1)) {
            assert.ok(
              configLines.some((form) => form.test(line)),
              line,
            );
          }
        }
        assert.equal(
          home.read(),
          `# >>> GPU Rental >>>\n# This file was created by GPU Rental.\nInclude ${home.ownDir}/*.conf\n# <<< GPU Rental <<<\n`,
        );
        for (const target of probed) {
          assert.match(target, /^[A-Za-z0-9._:-]+ \d{1,5}$/);
        }
        for (const [program = '', ...args] of commands) {
          assert.ok(['ssh', 'ssh-add'].includes(program), program);
          const own = args.filter((arg) => !/^-[A-Za-z]+$|^[A-Za-z]+=[\w-]+$/.test(arg));
          for (const arg of own) {
            assert.ok(
              arg === home.configFile ||
                // The second is asked for the agent, and means any instance.
                ['gpu-7', 'gpu-0'].includes(arg) ||
                // Where the host key of a first contact waits for the login to work.
                isProofFile(arg) ||
                arg.replace(marks, '') === bootstrap,
              arg,
            );
          }
        }
        assert.equal(ssh.commandLine('gpu-7'), `ssh -F ${home.configFile} gpu-7`);
      }),
      { numRuns: runs, examples: [[record]] },
    );
    assert.ok(written > runs / 2, `only ${written} were written at all`);
  });

  it('reaches no link but as a plain address, port and token', async () => {
    let links = 0;
    await fc.assert(
      fc.asyncProperty(anyField, async (wire) => {
        const instance = await decoded(wire);
        for (const port of instance ? publicPortsOf(instance) : []) {
          assert.match(port.host, /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])$/);
          if (port.url !== undefined) {
            links += 1;
            const url = new URL(withJupyterToken(port.url, instance?.jupyterToken));
            assert.match(url.protocol, /^https?:$/);
            assert.equal(url.username + url.password + url.hash, '');
            assert.equal(url.pathname, '/');
            assert.match(url.search, /^(?:\?token=[A-Za-z0-9_-]+)?$/);
          }
        }
        try {
          for (const { host } of instance ? endpointsOf(instance) : []) {
            assert.equal(new URL(`ssh://${host.includes(':') ? `[${host}]` : host}`).pathname, '');
          }
        } catch (error) {
          assert.ok(error instanceof UnsafeValueError, String(error));
        }
      }),
      { numRuns: runs, examples: [[record]] },
    );
    assert.ok(links > runs / 4, `only ${links} links`);
  });

  it('names a terminal, a row and a message by plain text', async () => {
    await fc.assert(
      fc.asyncProperty(anyField, async (wire) => {
        const instance = await decoded(wire);
        const name = instance ? plainLabel(instanceName(instance)) : '';
        assert.doesNotMatch(name, hidden);
        assert.ok(!name.includes('$('), name);
      }),
      { numRuns: runs },
    );
    fc.assert(
      fc.property(hostileText, (value) => {
        assert.doesNotMatch(plainLabel(value), hidden);
        assert.ok(!plainLabel(value).includes('$('));
      }),
    );
  });
});

describe('Any answer of a machine at the login', () => {
  let home: SshHome;
  let request: PrepareRequest;

  before(() => {
    home = new SshHome();
    const instance = sshInstance(41022);
    request = { account: sshAccount, instanceId: 7, instance, registeredKeys: [home.key()] };
  });
  after(() => home.dispose());

  const answer = fc.record({
    code: fc.constantFrom(0, 1, 255, null),
    stdout: hostileText,
    stderr: fc.oneof(
      hostileText,
      hostileText.map((value) => `debug1: Offering public key: ${value}\nPermission denied (publickey).\n`),
      hostileText.map((value) => `ssh: Could not resolve hostname ${value}\n`),
    ),
    timedOut: fc.boolean(),
  });

  it('is shown as plain text, for any cause', async () => {
    await fc.assert(
      fc.asyncProperty(answer, async (result: RunResult) => {
        const ssh = home.service({ run: () => Promise.resolve(result), probe: () => Promise.resolve('ssh') });
        const { preflight } = await ssh.connect(request);
        if (!preflight.ok) {
          assert.doesNotMatch(formatText(explainFailure(preflight).text), hidden);
        }
      }),
      { numRuns: sized(100, 3_000) },
    );
  });

  it('is shown as plain text if it is from the config', () => {
    fc.assert(
      fc.property(hostileText, hostileText, fc.boolean(), (value, file, hasPlace) => {
        const place = hasPlace ? { file, line: 3, text: value } : undefined;
        const explained = [
          explainVerification({ kind: 'broken', message: value }),
          explainVerification({
            kind: 'overridden',
            overrides: [{ option: value, wanted: value, found: value, place }],
          }),
        ];
        for (const one of explained) {
          assert.doesNotMatch(formatText(one?.text ?? ''), hidden);
        }
      }),
    );
  });

  it('is no folder to open unless it is a plain path', () => {
    fc.assert(
      fc.property(hostileText, fc.array(hostileText), (value, lines) => {
        const offered = parseFolders([value, ...lines].join('\n'));
        for (const folder of [offered.home, ...offered.folders]) {
          assert.ok(isRemotePath(folder));
          assert.doesNotMatch(folder, hidden);
          assert.ok(folder.startsWith('/'));
        }
      }),
    );
  });
});
