import assert from 'node:assert/strict';
import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { defaultNetworkSettings } from '../../../../src/api/chooseTransport';
import {
  ForbiddenError,
  NotReachableError,
  RateLimitedError,
  UnauthorizedError,
} from '../../../../src/api/errors';
import { TransportFailure } from '../../../../src/api/transport';
import type { DoctorPorts } from '../../../../src/features/doctor/checks';
import type { DoctorFinding } from '../../../../src/features/doctor/finding';
import { fromDollars } from '../../../../src/model/money';
import { findResolvers } from '../../../../src/ssh/resolvers';
import { DoctorScene } from '../../../support/doctorScene';
import { sshAccount, sshInstance } from '../../../support/sshInstance';
import { freePort } from '../../../support/sshMachine';

/** What is wrong, and how the doctor says so. */
interface Fault {
  readonly id: string;
  readonly verdict: DoctorFinding['verdict'];
  /** Kind of the fix, or the command that it runs; '' where none is possible. */
  readonly fix: string;
  readonly arrange: () => Partial<DoctorPorts> | Promise<Partial<DoctorPorts>>;
}

describe('The doctor', () => {
  let scene: DoctorScene;

  beforeEach(() => {
    scene = new DoctorScene();
  });
  afterEach(() => scene.dispose());

  const unreachable = (kind: TransportFailure['kind']) =>
    new NotReachableError({ cause: new TransportFailure(kind, undefined) });
  const none = (change: () => unknown) => () => {
    change();
    return {};
  };
  const resolvers = (...ids: string[]) => ({
    resolvers: findResolvers(ids.map((id) => ({ id, manifest: {} }))),
  });
  const fault = (id: string, verdict: DoctorFinding['verdict'], fix: string, arrange: Fault['arrange']) => ({
    id,
    verdict,
    fix,
    arrange,
  });
  const settings = 'workbench.action.openSettings';
  /** What can be wrong on this computer and on the way to the service. */
  const faults: Readonly<Record<string, Fault>> = {
    'nobody signed in': fault('signedIn', 'problem', 'gpuRental.signIn', () => ({ account: undefined })),
    'a service out of reach': fault(
      'reachable',
      'problem',
      settings,
      none(() => (scene.fails.current = unreachable('notReachable'))),
    ),
    'a proxy that wants a login': fault(
      'proxy',
      'problem',
      settings,
      none(() => (scene.fails.current = unreachable('proxy'))),
    ),
    'a proxy of a kind that is not supported': fault(
      'proxy',
      'problem',
      settings,
      none(() => (scene.fails.current = unreachable('unsupported'))),
    ),
    'a proxy that is no address': fault('proxy', 'problem', settings, () => ({
      network: { ...defaultNetworkSettings, proxy: 'http://a b' },
    })),
    'a proxy that is turned off': fault('proxy', 'note', settings, () => ({
      network: { ...defaultNetworkSettings, proxySupport: 'off' },
      env: { HTTPS_PROXY: 'proxy.example.com:3128' },
    })),
    'a certificate that is not trusted': fault(
      'certificates',
      'problem',
      settings,
      none(() => (scene.fails.current = unreachable('certificate'))),
    ),
    "a proxy's certificate that is not trusted": fault(
      'certificates',
      'problem',
      settings,
      none(() => (scene.fails.current = unreachable('someCertificate'))),
    ),
    'certificates that nobody checks': fault('certificates', 'problem', '', () => ({
      env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    })),
    'company certificates that are turned off': fault('certificates', 'note', settings, () => ({
      network: { ...defaultNetworkSettings, systemCertificates: false },
    })),
    'a clock that is a little fast': fault(
      'clock',
      'note',
      '',
      none(() => (scene.date = 'Fri, 02 Jan 2026 03:03:05 GMT')),
    ),
    'a clock that is an hour slow': fault(
      'clock',
      'problem',
      '',
      none(() => (scene.date = 'Fri, 02 Jan 2026 04:04:05 GMT')),
    ),
    'a key that is refused': fault(
      'key',
      'problem',
      'gpuRental.replaceKey',
      none(() => (scene.fails.current = new UnauthorizedError())),
    ),
    'a key that may not read instances': fault(
      'may read instances',
      'problem',
      'gpuRental.replaceKey',
      none(() => (scene.fails.instances = new ForbiddenError())),
    ),
    'a key that may not read instances, told by a 401': fault(
      'may read instances',
      'problem',
      'gpuRental.replaceKey',
      none(() => (scene.fails.instances = new UnauthorizedError())),
    ),
    'a key that may not read SSH keys': fault(
      'may read SSH keys',
      'problem',
      'gpuRental.replaceKey',
      none(() => (scene.fails.sshKeys = new ForbiddenError())),
    ),
    'a key that may only read': fault(
      'permissions',
      'note',
      'gpuRental.replaceKey',
      none(
        () => (scene.key = { id: 5, permissions: { api: { instance_read: {}, user_read: {}, misc: {} } } }),
      ),
    ),
    'a key that may not tell what it may': fault(
      'permissions',
      'note',
      'gpuRental.replaceKey',
      none(() => (scene.fails.apiKeys = new ForbiddenError())),
    ),
    'a key that may not tell what it may, told by a 401': fault(
      'permissions',
      'note',
      'gpuRental.replaceKey',
      none(() => (scene.fails.apiKeys = new UnauthorizedError())),
    ),
    'a rate limit': fault(
      'rateLimit',
      'problem',
      '',
      none(() => (scene.fails.instances = new RateLimitedError())),
    ),
    'requests that have to wait': fault(
      'rateLimit',
      'note',
      'gpuRental.apiKey.create',
      none(() => (scene.waitMs = 9_000)),
    ),
    'no credit': fault(
      'credit',
      'problem',
      'gpuRental.openConsole',
      none(() => (scene.user = { id: 1, credit: fromDollars(0), balance: fromDollars(7) })),
    ),
    'no key of this computer registered': fault(
      'registered',
      'problem',
      'gpuRental.sshKey.add',
      none(() => (scene.registered = [])),
    ),
    'no ssh client': fault(
      'sshClient',
      'problem',
      settings,
      none(() => scene.without('ssh')),
    ),
    'an ssh client from before host keys could be accepted once': fault(
      'sshVersion',
      'problem',
      settings,
      none(() => scene.clientSays('OpenSSH_7.4p1, OpenSSL 1.0.2k-fips  26 Jan 2017')),
    ),
    'an ssh client of another kind': fault(
      'sshVersion',
      'problem',
      settings,
      none(() => scene.clientSays('Dropbear v2022.83')),
    ),
    'a tool that is missing': fault(
      'sshTools',
      'problem',
      '',
      none(() => scene.without('ssh-keygen')),
    ),
    'doubled markers': fault(
      'include',
      'problem',
      'openFile',
      none(() => scene.home.write(scene.home.read() + scene.home.read())),
    ),
    'lines before ours': fault(
      'include',
      'note',
      '',
      none(() => scene.home.write(`Host *\n  Port 1\n${scene.home.read()}`)),
    ),
    'a read-only config without our line': fault(
      'include',
      'problem',
      'openFile',
      none(
        () => scene.home.write('Host *\n', scene.home.configFile) && chmodSync(scene.home.configFile, 0o400),
      ),
    ),
    'a private key that others can read': fault(
      'modes',
      'problem',
      'tighten',
      none(() => chmodSync(join(scene.home.sshDir, 'id_ed25519'), 0o644)),
    ),
    'no Remote-SSH': fault('resolver', 'note', 'workbench.extensions.search', () => resolvers()),
    'two of them': fault('resolver', 'note', 'workbench.extensions.search', () =>
      resolvers('ms-vscode-remote.remote-ssh', 'jeanp413.open-remote-ssh'),
    ),
    'one that ignores the config file setting': fault('configHonoured', 'note', settings, () =>
      resolvers('google.antigravity-remote-openssh'),
    ),
    'one that does not compare host keys': fault('checksHostKeys', 'note', '', () =>
      resolvers('jeanp413.open-remote-ssh'),
    ),
    'that there is no key': fault(
      'localKey',
      'problem',
      'gpuRental.sshKey.generate',
      none(() => {
        scene.emptyHome();
      }),
    ),
    'that every key asks for a passphrase': fault(
      'unattended',
      'problem',
      'gpuRental.sshKey.generate',
      none(() => {
        scene.emptyHome();

        scene.home.key('locked', 'secret');
      }),
    ),
  };
  for (const [name, { id, verdict, fix, arrange }] of Object.entries(faults)) {
    it(`finds ${name}`, async () => {
      const found = (await scene.look(await arrange())).find((one) => one.id === id);
      assert.deepEqual([found?.verdict, fixOf(found)], [verdict, fix]);
    });
  }

  /** What can be wrong with a machine; each begins with one on which all is well. */
  const machineFaults: Readonly<Record<string, Fault>> = {
    'no key of this computer on it': fault('keyOnInstance', 'problem', 'gpuRental.instance.attachKey', () => {
      scene.onInstance = [scene.home.key('other')];
      for (const name of ['other', 'other.pub']) {
        rmSync(join(scene.home.sshDir, name));
      }
      scene.machine?.authorize();
      return {};
    }),
    'that it lets nobody in': fault('login', 'problem', 'gpuRental.instance.attachKey', () => {
      scene.machine?.authorize();
      return {};
    }),
    'that it prints text at every login': fault('login', 'note', 'gpuRental.instance.openTerminal', () => {
      scene.answering(String.raw`echo tmux; eval \"$SSH_ORIGINAL_COMMAND\"`);
      return {};
    }),
    'that its shell ends too early': fault('login', 'problem', 'gpuRental.instance.openTerminal', () => {
      scene.answering('true');
      return {};
    }),
    'a host key that changed': fault('hostKey', 'problem', 'forgetHostKey', async () => {
      const known = await scene.home.service().connect({
        account: sshAccount,
        instanceId: 7,
        instance: sshInstance(scene.port),
        registeredKeys: scene.registered,
      });
      assert.equal(known.preflight.ok, true);
      const port = scene.port;
      await scene.machine?.stop();
      scene.machine?.newHostKey();
      await scene.machine?.start({ port });
      return {};
    }),
    'that its disk is full': fault('disk', 'problem', 'gpuRental.instance.openTerminal', () => {
      scene.answering(
        String.raw`eval \"\${SSH_ORIGINAL_COMMAND%%;*}\"; echo '/dev/vda1 1000000 999000 1000 100% /'`,
      );
      return {};
    }),
    'that no GPU answers': fault('gpu', 'problem', 'gpuRental.instance.reboot', () => {
      scene.answering(
        String.raw`case \"$SSH_ORIGINAL_COMMAND\" in *nvidia-smi*) exit 9;; *) eval \"$SSH_ORIGINAL_COMMAND\";; esac`,
      );
      return {};
    }),
    'an image without the tool of NVIDIA': fault('gpu', 'note', 'gpuRental.instance.check', () => {
      scene.answering(String.raw`eval \"$SSH_ORIGINAL_COMMAND\"`);
      return {};
    }),
    'a host key that is known, and a GPU, on a full disk': fault('gpu', 'ok', '', () => {
      scene.answering(
        String.raw`case \"$SSH_ORIGINAL_COMMAND\" in *nvidia-smi*) echo 'GPU 0: RTX 4090';; *) eval \"\${SSH_ORIGINAL_COMMAND%%;*}\"; echo '/dev/vda1 1000000 999000 1000 100% /';; esac`,
      );
      return {};
    }),
    'that its own address does not answer': fault('direct address', 'note', '', async () => ({
      instances: [sshInstance(await freePort(), { sshHost: '127.0.0.1', sshPort: scene.port })],
    })),
    "that the service's address does not answer": fault('proxy address', 'note', '', async () => ({
      instances: [sshInstance(0, { ports: [], sshHost: '127.0.0.1', sshPort: await freePort() })],
    })),
    'that no SSH server answers': fault('sshd', 'problem', 'gpuRental.instance.showLogs', async () => {
      await scene.machine?.stop();
      return {};
    }),
    'that the config overrides the entry': fault('sshG', 'problem', 'openFile', () => {
      scene.home.write(`Host gpu-*\n  Port 1\nMatch all\nInclude ${scene.home.ownDir}/*.conf\n`);
      chmodSync(scene.home.configFile, 0o400);
      return {};
    }),
    'that ssh does not take the config': fault('login', 'problem', 'openFile', () => {
      scene.home.write(`${scene.home.read()}Host a\n  MadeUpOption yes\n`);
      return {};
    }),
  };
  for (const [name, { id, verdict, fix, arrange }] of Object.entries(machineFaults)) {
    it(`finds ${name}`, async () => {
      const well = await scene.rented();
      const found = (await scene.look({ ...well, ...(await arrange()) })).find((one) => one.id === id);
      assert.deepEqual([found?.verdict, fixOf(found)], [verdict, fix], JSON.stringify(found));
    });
  }

  it('has a case in which each of its checks fails', async () => {
    const all = (await scene.look(await scene.rented())).map(({ id }) => id);
    const failing = [...Object.values(faults), ...Object.values(machineFaults)].map(({ id }) => id);
    assert.deepEqual([...new Set(failing)].sort(), [...all].sort());
  });
});

function fixOf(found: DoctorFinding | undefined): string {
  const fix = found?.fix;
  return fix === undefined ? '' : fix.kind === 'command' ? fix.command : fix.kind;
}
