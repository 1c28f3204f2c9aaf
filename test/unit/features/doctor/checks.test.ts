import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import {
  ForbiddenError,
  NotReachableError,
  RateLimitedError,
  UnauthorizedError,
} from '../../../../src/api/errors';
import type { Client } from '../../../../src/api/client';
import { examine, type DoctorPorts } from '../../../../src/features/doctor/checks';
import { reportText } from '../../../../src/features/doctor/reportText';
import { ProgramMissingError, type Run } from '../../../../src/ssh/run';
import { findResolvers } from '../../../../src/ssh/resolvers';
import type { Instance } from '../../../../src/model/instance';
import { formatText } from '../../../../src/util/text';
import { SshHome } from '../../../support/sshHome';
import { sshAccount, sshInstance } from '../../../support/sshInstance';
import { SshMachine } from '../../../support/sshMachine';

type Call = 'current' | 'instances' | 'sshKeys';

describe('The doctor', function () {
  this.timeout(60_000);
  let home: SshHome;
  let machine: SshMachine | undefined;
  let registered: string[];
  let fails: Partial<Record<Call, Error>>;
  let run: Run;

  beforeEach(() => {
    home = new SshHome();
    registered = [];
    fails = {};
    run = home.run;
  });
  afterEach(async () => {
    await machine?.dispose();
    machine = undefined;
    home.dispose();
  });

  /** As much of a client as the doctor asks. */
  function client(): Client {
    const answer = (call: Call) => {
      const error = fails[call];
      const items = registered.map((publicKey, id) => ({ id, publicKey }));
      return error ? Promise.reject(error) : Promise.resolve({ items, skipped: 0 });
    };
    const parts = {
      users: { current: () => answer('current') },
      instances: { list: () => answer('instances'), keys: () => answer('sshKeys') },
      sshKeys: { list: () => answer('sshKeys') },
    };
    // The other calls would be a mistake, and would fail as such.
    return parts as unknown as Client;
  }

  function ports(more: Partial<DoctorPorts> = {}): DoctorPorts {
    const manifest = { contributes: { configuration: { properties: { 'remote.SSH.configFile': {} } } } };
    return {
      account: { ...sshAccount, client: client(), creditMicros: 5_000_000 },
      ssh: home.service({ run: (...args) => run(...args) }),
      resolvers: findResolvers([{ id: 'ms-vscode-remote.remote-ssh', manifest }]),
      configFileIsSet: false,
      instances: [],
      facts: () => ({}),
      now: () => 0,
      instanceId: undefined,
      ...more,
    };
  }

  async function verdicts(more: Partial<DoctorPorts> = {}): Promise<Record<string, string>> {
    const findings = await examine(ports(more), new AbortController().signal);
    return Object.fromEntries(findings.map(({ id, verdict }) => [id, verdict]));
  }

  function healthy(): void {
    registered = [home.key()];
    home.write(`# >>> GPU Rental >>>\nInclude ${home.ownDir}/*.conf\n# <<< GPU Rental <<<\n`);
  }

  it('finds nothing where all is well', async () => {
    healthy();
    const all = await verdicts();
    assert.deepEqual(
      Object.entries(all).filter(([, verdict]) => verdict !== 'ok'),
      [],
    );
    assert.ok(Object.keys(all).length >= 14, Object.keys(all).join());
  });

  const faults: Record<string, readonly [id: string, verdict: string, arrange: () => Partial<DoctorPorts>]> =
    {
      'nobody signed in': ['signedIn', 'problem', () => ({ account: undefined })],
      'a service out of reach': [
        'reachable',
        'problem',
        () => {
          fails.current = new NotReachableError();
          return {};
        },
      ],
      'a key that is refused': [
        'key',
        'problem',
        () => {
          fails.current = new UnauthorizedError();
          return {};
        },
      ],
      'a key that may not read instances': [
        'may read instances',
        'problem',
        () => {
          fails.instances = new ForbiddenError();
          return {};
        },
      ],
      'a rate limit': [
        'rateLimit',
        'note',
        () => {
          fails.instances = new RateLimitedError();
          return {};
        },
      ],
      'no credit': [
        'credit',
        'problem',
        () => ({ account: { ...sshAccount, client: client(), creditMicros: 0 } }),
      ],
      'no key of this computer registered': [
        'registered',
        'problem',
        () => {
          registered = [];
          return {};
        },
      ],
      'no ssh client': [
        'sshClient',
        'problem',
        () => {
          run = missing('ssh');
          return {};
        },
      ],
      'a tool that is missing': [
        'sshTools',
        'problem',
        () => {
          run = missing('sftp');
          return {};
        },
      ],
      'doubled markers': [
        'include',
        'problem',
        () => {
          home.write(home.read() + home.read());
          return {};
        },
      ],
      'lines before ours': [
        'include',
        'note',
        () => {
          home.write(`Host *\n  Port 1\n${home.read()}`);
          return {};
        },
      ],
      'a read-only config without our line': [
        'include',
        'problem',
        () => {
          home.write('Host *\n');
          chmodSync(home.configFile, 0o400);
          return {};
        },
      ],
      'a private key that others can read': [
        'modes',
        'problem',
        () => {
          chmodSync(join(home.sshDir, 'id_ed25519'), 0o644);
          return {};
        },
      ],
      'no Remote-SSH': ['resolver', 'note', () => ({ resolvers: [] })],
      'two of them': [
        'resolver',
        'note',
        () => ({
          resolvers: findResolvers(
            ['ms-vscode-remote.remote-ssh', 'jeanp413.open-remote-ssh'].map((id) => ({ id, manifest: {} })),
          ),
        }),
      ],
      'one that ignores the config file setting': [
        'configHonoured',
        'note',
        () => ({
          configFileIsSet: true,
          resolvers: findResolvers([{ id: 'google.antigravity-remote-openssh', manifest: {} }]),
        }),
      ],
      'one that does not compare host keys': [
        'checksHostKeys',
        'note',
        () => ({ resolvers: findResolvers([{ id: 'jeanp413.open-remote-ssh', manifest: {} }]) }),
      ],
    };
  for (const [fault, [id, verdict, arrange]] of Object.entries(faults)) {
    it(`finds ${fault}`, async () => {
      healthy();
      const more = arrange();
      assert.equal((await verdicts(more))[id], verdict);
    });
  }

  it('finds that there is no key, and that every key asks for a passphrase', async () => {
    assert.equal((await verdicts())['localKey'], 'problem');
    home.key('locked', 'secret');
    assert.equal((await verdicts())['unattended'], 'problem');
  });

  describe('on a machine', () => {
    let instance: Instance;

    beforeEach(async () => {
      healthy();
      machine = await new SshMachine().start();
      machine.authorize(registered[0] ?? '');
      instance = sshInstance(machine.port);
    });

    it('finds that the login works and that no GPU answers there', async () => {
      const all = await verdicts({ instances: [instance], instanceId: 7 });
      assert.equal(all['login'], 'ok');
      assert.equal(all['direct address'], 'ok');
      assert.equal(all['sshG'], 'ok');
      assert.equal(all['gpu'], 'problem');
    });

    it('finds that the GPU answers', async () => {
      machine?.authorize(
        `command="case \\"$SSH_ORIGINAL_COMMAND\\" in nvidia*) echo 'GPU 0: RTX 4090';; *) eval \\"$SSH_ORIGINAL_COMMAND\\";; esac" ${registered[0] ?? ''}`,
      );
      assert.equal((await verdicts({ instances: [instance], instanceId: 7 }))['gpu'], 'ok');
    });

    it('finds that it lets nobody in', async () => {
      machine?.authorize();
      assert.equal((await verdicts({ instances: [instance], instanceId: 7 }))['login'], 'problem');
    });

    it('finds that nobody answers at an address', async () => {
      await machine?.stop();
      const all = await verdicts({ instances: [instance], instanceId: 7 });
      assert.equal(all['direct address'], 'note');
      assert.equal(all['login'], 'problem');
    });

    it('finds that the config overrides the entry', async () => {
      const include = `Include ${home.ownDir}/*.conf\n`;
      home.write(`Host gpu-*\n  Port 1\nMatch all\n${include}`);
      chmodSync(home.configFile, 0o400);
      assert.equal((await verdicts({ instances: [instance], instanceId: 7 }))['sshG'], 'problem');
    });

    it('has nothing to say about an instance without an address', async () => {
      const bare: Instance = { id: 7, actualStatus: 'running' };
      assert.equal((await verdicts({ instances: [bare], instanceId: 7 }))['login'], 'problem');
    });
  });

  it('can be shown as text without names and secrets', async () => {
    healthy();
    const findings = await examine(ports(), new AbortController().signal);
    const text = reportText(
      [
        ...findings,
        {
          id: 'x',
          title: { template: 'X', args: [] },
          verdict: 'note',
          detail: '/home/ada/.ssh C:\\Users\\ada\\x KEY',
        },
      ],
      (value) => formatText(value).replaceAll('KEY', '***'),
    );
    assert.match(text, /- \[ok\] API key: /);
    assert.doesNotMatch(text, /ada|KEY/);
  });

  function missing(program: string): Run {
    return (name, args, options) =>
      name === program
        ? Promise.reject(new ProgramMissingError(name, undefined))
        : home.run(name, args, options);
  }
});
