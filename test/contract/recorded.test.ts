import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../../src/api/client';
import { GoneError, NotFoundError, RateLimitedError, UnauthorizedError } from '../../src/api/errors';
import { scriptedClient, type Scripted } from '../support/fakeTransport';

interface Recorded {
  readonly request: string;
  readonly source: string;
  readonly date: string;
  readonly status: number;
  readonly body?: unknown;
  readonly text?: string;
}

const folder = join(__dirname, '..', 'fixtures', 'service');
const names = readdirSync(folder).map((name) => name.replace(/\.json$/, ''));

function recorded(name: string): Recorded {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Recorded;
}

function answer(name: string): Scripted {
  const { status, body, text } = recorded(name);
  return text === undefined ? { status, json: body } : { status, text };
}

const search = (client: Client) => client.offers.search({ filters: {}, rentalType: 'on-demand', order: [] });
const rent = (client: Client) => client.offers.rent(12345678, { image: 'i' });

/** What each recorded answer must become; a value, or the class of an error. */
const expectations: Readonly<
  Record<string, readonly [call: (client: Client) => Promise<unknown>, expected: unknown]>
> = {
  bundles: [
    search,
    {
      skipped: 0,
      items: [
        {
          id: 12345678,
          machineId: 88888,
          hostId: 55555,
          gpuName: 'RTX 4090',
          gpuCount: 4,
          gpuRamMb: 24564,
          gpuArch: 'nvidia',
          computeCapability: 890,
          cudaVersion: 12.8,
          driverVersion: '570.124.04',
          teraflops: 331.2,
          dlperf: 222.2,
          dlperfPerDollar: 333.3,
          score: 1234.5,
          cpuName: 'AMD EPYC 7543 32-Core Processor',
          cpuCores: 32,
          cpuRamMb: 128500,
          cpuArch: 'amd64',
          diskSpaceGb: 2048.5,
          diskMbPerSecond: 1234.5,
          inetUpMbit: 876.5,
          inetDownMbit: 987.6,
          inetUpPerGb: 4600,
          inetDownPerGb: 1200,
          directPorts: 42,
          staticIp: true,
          location: 'Sweden, SE',
          countryCode: 'SE',
          gpuPerHour: 346_700,
          totalPerHour: 351_200,
          storagePerGbMonth: 150_000,
          minBidPerHour: 111_100,
          isBid: false,
          rentable: true,
          reliability: 0.9976,
          verified: true,
          datacenter: true,
          durationSeconds: 1234567.89,
          vmSupport: false,
        },
        {
          id: 2222,
          machineId: 9,
          gpuName: 'H100 SXM',
          gpuCount: 1,
          gpuRamMb: 81559,
          totalPerHour: 2_100_000,
          verified: false,
        },
      ],
    },
  ],
  'bundles-none': [search, { items: [], skipped: 0 }],
  'instances-v1': [
    async (client) =>
      (await client.instances.list()).items.map(
        ({ id, actualStatus, ports, env, publicIp, cudaVersion, diskUsedGb }) => ({
          id,
          actualStatus,
          ports,
          env,
          publicIp,
          cudaVersion,
          diskUsedGb,
        }),
      ),
    [
      {
        id: 5001,
        actualStatus: 'running',
        ports: [
          { containerPort: 22, protocol: 'tcp', hostPort: 40122 },
          { containerPort: 8000, protocol: 'tcp', hostPort: 40123 },
        ],
        env: [
          ['A', ''],
          ['-p 8000:8000', ''],
        ],
        publicIp: '203.0.113.9',
        cudaVersion: 12.8,
        diskUsedGb: 3.2,
      },
      {
        id: 5002,
        actualStatus: null,
        ports: undefined,
        env: [['A', '']],
        publicIp: undefined,
        cudaVersion: undefined,
        diskUsedGb: undefined,
      },
    ],
  ],
  'instances-v0-deprecated': [(client) => client.instances.list(), GoneError],
  'instance-stopped': [
    async (client) => {
      const found = await client.instances.get(5003);
      return [found?.actualStatus, found?.intendedStatus, found?.statusMessage];
    },
    ['exited', 'stopped', 'Exited (137) 2 minutes ago'],
  ],
  'instance-destroyed': [(client) => client.instances.get(5001), undefined],
  'instance-start-queued': [
    (client) => client.instances.start(5001),
    { queued: true, message: 'Required resources are currently unavailable, state change queued.' },
  ],
  'instance-destroy-again': [(client) => client.instances.destroy(5001), NotFoundError],
  'instance-keys': [
    (client) => client.instances.keys(5001),
    {
      items: [
        {
          id: 7,
          name: 'laptop',
          publicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA ada@laptop',
          createdAt: '2026-05-01T10:00:00Z',
        },
      ],
      skipped: 0,
    },
  ],
  rent: [rent, { instanceId: 12345678, confirmed: true }],
  'rent-bid-pending': [
    rent,
    {
      instanceId: 12345679,
      confirmed: false,
      message: 'Bid is below the current price, the instance waits.',
    },
  ],
  'rent-offer-gone': [rent, GoneError],
  'ssh-keys-array': [
    (client) => client.sshKeys.list(),
    {
      items: [{ id: 1, publicKey: 'ssh-rsa AAAAB3NzaC1yc2E ada', createdAt: '2026-05-01T10:00:00Z' }],
      skipped: 0,
    },
  ],
  'ssh-keys-object': [
    (client) => client.sshKeys.list(),
    { items: [{ id: 1, publicKey: 'ssh-rsa AAAAB3NzaC1yc2E ada', createdAt: 1761008618 }], skipped: 0 },
  ],
  'ssh-key-added': [
    (client) => client.sshKeys.add('ssh-ed25519 AAAAC3 ada'),
    { id: 2, publicKey: 'ssh-ed25519 AAAAC3 ada', createdAt: '2026-05-02T10:00:00Z' },
  ],
  templates: [
    async (client) => {
      const [first] = (await client.templates.search({})).items;
      return [
        first?.id,
        first?.hashId,
        first?.extraFilters,
        first?.recommendedDiskGb,
        first?.jupyterDir,
        first?.dockerLoginRepo,
      ];
    },
    [123456, '4e17788f74f075dd9aab7d0d4427968f', { gpu_ram: { gte: 16000 } }, 32, null, undefined],
  ],
  'template-created': [
    (client) => client.templates.create({ name: 'x', image: 'i' }),
    { id: 123457, hashId: 'aa17788f74f075dd9aab7d0d4427968f' },
  ],
  user: [
    (client) => client.users.current(),
    {
      id: 3,
      keyId: 9,
      email: 'ada@example.com',
      name: 'Ada Example',
      balance: 0,
      credit: 23_456_789,
      emailVerified: true,
    },
  ],
  'user-bad-key': [(client) => client.users.current(), UnauthorizedError],
  'user-session-ended': [(client) => client.users.current(), UnauthorizedError],
  'rate-limit-text': [(client) => client.users.current(), RateLimitedError],
  'rate-limit-detail': [(client) => client.users.current(), RateLimitedError],
  'rate-limit-code': [(client) => client.instances.destroy(5001), RateLimitedError],
  logs: [(client) => client.instances.logs(5001, {}), 'a line\n'],
};

describe('recorded answers', () => {
  it('are all read by a test, and name their source', () => {
    assert.deepEqual(Object.keys(expectations).sort(), [...names].sort());
    for (const name of names) {
      const { request, source, date } = recorded(name);
      assert.match(request, /^(GET|PUT|POST|DELETE) \/api\/v[01]\//, name);
      assert.match(source, /^docs\/service\/[\w-]+\.md#/, name);
      assert.match(date, /^\d{4}-\d{2}-\d{2}$/, name);
    }
  });

  for (const [name, [call, expected]] of Object.entries(expectations)) {
    it(`${name} (${recorded(name).request}) is understood`, async () => {
      const { client, finish } = scriptedClient((request) => {
        if (request.url.includes('s3.amazonaws.com')) {
          return { text: 'a line\n' };
        }
        return answer(name);
      });
      if (typeof expected === 'function') {
        // A class, which `assert.rejects` takes for the check.
        await assert.rejects(finish(call(client)), expected as new () => Error);
      } else {
        assert.deepEqual(await finish(call(client)), expected);
      }
    });
  }
});
