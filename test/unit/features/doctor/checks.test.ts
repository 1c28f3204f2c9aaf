import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { defaultNetworkSettings } from '../../../../src/api/chooseTransport';
import {
  ForbiddenError,
  NotReachableError,
  RateLimitedError,
  UnauthorizedError,
} from '../../../../src/api/errors';
import { TransportFailure } from '../../../../src/api/transport';
import type { DoctorFinding } from '../../../../src/features/doctor/finding';
import { fromDollars } from '../../../../src/model/money';
import { findResolvers } from '../../../../src/ssh/resolvers';
import { doctorFault, machineFaults, type DoctorFault } from '../../../support/doctorFaults';
import { DoctorScene } from '../../../support/doctorScene';

describe('The doctor', () => {
  let scene: DoctorScene;

  beforeEach(() => {
    scene = new DoctorScene();
  });
  afterEach(() => scene.dispose());

  const unreachable = (kind: TransportFailure['kind']) =>
    new NotReachableError({ cause: new TransportFailure(kind, undefined) });
  const broken = (id: string, verdict: DoctorFault['verdict'], fix: string, change: () => void) =>
    doctorFault(id, verdict, fix, () => {
      change();
      return {};
    });
  const resolvers = (...ids: string[]) => ({
    resolvers: findResolvers(ids.map((id) => ({ id, manifest: {} }))),
  });
  const settings = 'workbench.action.openSettings';
  /** What can be wrong on this computer and on the way to the service. */
  const faults: Readonly<Record<string, DoctorFault>> = {
    'nobody signed in': doctorFault('signedIn', 'problem', 'gpuRental.signIn', () => ({
      account: undefined,
    })),
    'a service out of reach': broken('reachable', 'problem', settings, () => {
      scene.fails.current = unreachable('notReachable');
    }),
    'a proxy that wants a login': broken('proxy', 'problem', settings, () => {
      scene.fails.current = unreachable('proxy');
    }),
    'a proxy of a kind that is not supported': broken('proxy', 'problem', settings, () => {
      scene.fails.current = unreachable('unsupported');
    }),
    'a proxy that is no address': doctorFault('proxy', 'problem', settings, () => ({
      network: { ...defaultNetworkSettings, proxy: 'http://a b' },
    })),
    'a proxy that is turned off': doctorFault('proxy', 'note', settings, () => ({
      network: { ...defaultNetworkSettings, proxySupport: 'off' },
      env: { HTTPS_PROXY: 'proxy.example.com:3128' },
    })),
    'a certificate that is not trusted': broken('certificates', 'problem', settings, () => {
      scene.fails.current = unreachable('certificate');
    }),
    "a proxy's certificate that is not trusted": broken('certificates', 'problem', settings, () => {
      scene.fails.current = unreachable('someCertificate');
    }),
    'certificates that nobody checks': doctorFault('certificates', 'problem', '', () => ({
      env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    })),
    'company certificates that are turned off': doctorFault('certificates', 'note', settings, () => ({
      network: { ...defaultNetworkSettings, systemCertificates: false },
    })),
    'a clock that is a little fast': broken('clock', 'note', '', () => {
      scene.date = 'Fri, 02 Jan 2026 03:03:05 GMT';
    }),
    'a clock that is an hour slow': broken('clock', 'problem', '', () => {
      scene.date = 'Fri, 02 Jan 2026 04:04:05 GMT';
    }),
    'a key that is refused': broken('key', 'problem', 'gpuRental.replaceKey', () => {
      scene.fails.current = new UnauthorizedError();
    }),
    'a key that may not read instances': broken(
      'may read instances',
      'problem',
      'gpuRental.replaceKey',
      () => {
        scene.fails.instances = new ForbiddenError();
      },
    ),
    'a key that may not read instances, told by a 401': broken(
      'may read instances',
      'problem',
      'gpuRental.replaceKey',
      () => {
        scene.fails.instances = new UnauthorizedError();
      },
    ),
    'a key that may not read SSH keys': broken('may read SSH keys', 'problem', 'gpuRental.replaceKey', () => {
      scene.fails.sshKeys = new ForbiddenError();
    }),
    'a key that may only read': broken('permissions', 'note', 'gpuRental.replaceKey', () => {
      scene.key = { id: 5, permissions: { api: { instance_read: {}, user_read: {}, misc: {} } } };
    }),
    'a key that may not tell what it may': broken('permissions', 'note', 'gpuRental.replaceKey', () => {
      scene.fails.apiKeys = new ForbiddenError();
    }),
    'a key that may not tell what it may, told by a 401': broken(
      'permissions',
      'note',
      'gpuRental.replaceKey',
      () => {
        scene.fails.apiKeys = new UnauthorizedError();
      },
    ),
    'a rate limit': broken('rateLimit', 'problem', '', () => {
      scene.fails.instances = new RateLimitedError();
    }),
    'requests that have to wait': broken('rateLimit', 'note', 'gpuRental.apiKey.create', () => {
      scene.waitMs = 9_000;
    }),
    'no credit': broken('credit', 'problem', 'gpuRental.openConsole', () => {
      scene.user = { id: 1, credit: fromDollars(0), balance: fromDollars(7) };
    }),
    'no key of this computer registered': broken('registered', 'problem', 'gpuRental.sshKey.add', () => {
      scene.registered = [];
    }),
    'no ssh client': broken('sshClient', 'problem', settings, () => {
      scene.without('ssh');
    }),
    'an ssh client from before host keys could be accepted once': broken(
      'sshVersion',
      'problem',
      settings,
      () => {
        scene.clientPrints('OpenSSH_7.4p1, OpenSSL 1.0.2k-fips  26 Jan 2017');
      },
    ),
    'an ssh client of another kind': broken('sshVersion', 'problem', settings, () => {
      scene.clientPrints('Dropbear v2022.83');
    }),
    'a tool that is missing': broken('sshTools', 'problem', '', () => {
      scene.without('ssh-keygen');
    }),
    'doubled markers': broken('include', 'problem', 'openFile', () => {
      scene.home.write(scene.home.read() + scene.home.read());
    }),
    'lines before ours': broken('include', 'note', '', () => {
      scene.home.write(`Host *\n  Port 1\n${scene.home.read()}`);
    }),
    'a read-only config without our line': broken('include', 'problem', 'openFile', () => {
      scene.home.write('Host *\n', scene.home.configFile);
      chmodSync(scene.home.configFile, 0o400);
    }),
    'a private key that others can read': broken('modes', 'problem', 'tighten', () => {
      chmodSync(join(scene.home.sshDir, 'id_ed25519'), 0o644);
    }),
    'no Remote-SSH': doctorFault('resolver', 'note', 'workbench.extensions.search', () => resolvers()),
    'two of them': doctorFault('resolver', 'note', 'workbench.extensions.search', () =>
      resolvers('ms-vscode-remote.remote-ssh', 'jeanp413.open-remote-ssh'),
    ),
    'one that ignores the config file setting': doctorFault('configHonoured', 'note', settings, () =>
      resolvers('google.antigravity-remote-openssh'),
    ),
    'one that does not compare host keys': doctorFault('checksHostKeys', 'note', '', () =>
      resolvers('jeanp413.open-remote-ssh'),
    ),
    'that there is no key': broken('localKey', 'problem', 'gpuRental.sshKey.generate', () => {
      scene.emptyHome();
    }),
    'that every key asks for a passphrase': broken(
      'unattended',
      'problem',
      'gpuRental.sshKey.generate',
      () => {
        scene.emptyHome();
        scene.home.key('locked', 'secret');
      },
    ),
  };
  for (const [name, { id, verdict, fix, arrange }] of Object.entries(faults)) {
    it(`finds ${name}`, async () => {
      const found = (await scene.check(await arrange())).find((one) => one.id === id);
      assert.deepEqual([found?.verdict, fixOf(found)], [verdict, fix]);
    });
  }

  const ofMachines = machineFaults(() => scene);
  for (const [name, { id, verdict, fix, arrange }] of Object.entries(ofMachines)) {
    it(`finds ${name}`, async () => {
      const well = await scene.rented();
      const found = (await scene.check({ ...well, ...(await arrange()) })).find((one) => one.id === id);
      assert.deepEqual([found?.verdict, fixOf(found)], [verdict, fix], JSON.stringify(found));
    });
  }

  it('has a case in which each of its checks fails', async () => {
    const all = (await scene.check(await scene.rented())).map(({ id }) => id);
    const failing = [...Object.values(faults), ...Object.values(ofMachines)].map(({ id }) => id);
    assert.deepEqual([...new Set(failing)].sort(), [...all].sort());
  });
});

function fixOf(found: DoctorFinding | undefined): string {
  const fix = found?.fix;
  return fix === undefined ? '' : fix.kind === 'command' ? fix.command : fix.kind;
}
