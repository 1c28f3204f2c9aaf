import assert from 'node:assert/strict';
import { toUser } from '../../../src/api/account';
import { toInstance } from '../../../src/api/instanceModel';
import { toOffer } from '../../../src/api/offers';
import { toTemplate } from '../../../src/api/templates';
import { instance } from '../../../src/wire/instance';
import { offer } from '../../../src/wire/offer';
import { template } from '../../../src/wire/template';
import { user } from '../../../src/wire/user';

const anInstance = (fields: object) => toInstance(instance.parse({ id: 1, ...fields }));
const anOffer = (fields: object) => toOffer(offer.parse({ id: 1, ...fields }));

describe('toInstance', () => {
  it('keeps what is unknown unknown, never zero', () => {
    assert.deepEqual(anInstance({}), { id: 1 });
    assert.deepEqual(
      anInstance({
        label: null,
        actual_status: 7,
        ports: null,
        extra_env: null,
        gpu_util: null,
        disk_usage: -1,
        direct_port_count: -1,
        ssh_port: 70_000,
        dph_total: -1,
        ssh_host: '',
      }),
      { id: 1 },
    );
  });

  it('distinguishes null from a missing status', () => {
    assert.equal(anInstance({ actual_status: null }).actualStatus, null);
    assert.equal('actualStatus' in anInstance({}), false);
  });

  it('trims what the service ends with a line break, and keeps the label as it is', () => {
    const made = anInstance({ status_msg: 'pulling image\n', public_ipaddr: ' 1.2.3.4\n', label: ' mine ' });
    assert.deepEqual(made, { id: 1, statusMessage: 'pulling image', publicIp: '1.2.3.4', label: ' mine ' });
  });

  it('reads numbers that arrive as text', () => {
    const made = anInstance({
      id: '12',
      ssh_port: '15001',
      cuda_max_good: '12.4',
      ports: { '22/tcp': [{ HostPort: '40122' }] },
    });
    assert.deepEqual(made, {
      id: 12,
      sshPort: 15001,
      cudaVersion: 12.4,
      ports: [{ containerPort: 22, protocol: 'tcp', hostPort: 40122 }],
    });
  });

  it('leaves out a port mapping that is none', () => {
    const ports = {
      '22/tcp': null,
      '80/tcp': [],
      'x/tcp': [{ HostPort: 1 }],
      '99999/tcp': [{ HostPort: 1 }],
      '81/tcp': [{ HostPort: 0 }],
      '53/udp': [{ HostPort: 5353 }],
    };
    assert.deepEqual(anInstance({ ports }).ports, [{ containerPort: 53, protocol: 'udp', hostPort: 5353 }]);
  });

  it('reads the environment in its three shapes', () => {
    const expected = [
      ['A', '1'],
      ['-p 80:80', '1'],
    ];
    assert.deepEqual(anInstance({ extra_env: [['A', '1'], ['-p 80:80', 1], [3], []] }).env, expected);
    assert.deepEqual(anInstance({ extra_env: ['A=1', '-p 80:80=1', ''] }).env, expected);
    assert.deepEqual(anInstance({ extra_env: { A: '1', '-p 80:80': 1 } }).env, expected);
    assert.deepEqual(anInstance({ extra_env: ['A=b=c', 'B'] }).env, [
      ['A', 'b=c'],
      ['B', ''],
    ]);
    assert.deepEqual(anInstance({ extra_env: [] }).env, []);
  });

  it('reads the arguments, in a list or in one text', () => {
    assert.deepEqual(anInstance({ image_args: ['serve', 3, ''] }).args, ['serve', '']);
    assert.deepEqual(anInstance({ image_args: 'serve --port 80' }).args, ['serve --port 80']);
    for (const none of [[], '', null, {}, undefined]) {
      assert.equal(anInstance({ image_args: none }).args, undefined);
    }
  });

  it('knows what a stopped instance costs, from the total or from the price of a GB', () => {
    assert.equal(anInstance({ storage_total_cost: 0.0021 }).storagePerHour, 2100);
    assert.equal(anInstance({ storage_cost: 0.15, disk_space: 20 }).storagePerHour, 4167);
    assert.equal(anInstance({ storage_cost: 0.15 }).storagePerHour, undefined);
  });

  it('has a bid only where the instance is interruptible', () => {
    assert.equal(anInstance({ dph_base: 0.3, min_bid: 0.1, is_bid: true }).bidPerHour, 300_000);
    assert.equal(anInstance({ min_bid: 0.1, is_bid: true }).bidPerHour, undefined, 'that of the machine');
    assert.equal(anInstance({ dph_base: 0.3, min_bid: 0.1, is_bid: false }).bidPerHour, undefined);
  });

  it('shows the load of the processor in percent', () => {
    assert.equal(anInstance({ cpu_util: 0.5 }).cpuUtilPercent, 50);
  });
});

describe('toOffer', () => {
  it('keeps what is unknown unknown', () => {
    assert.deepEqual(anOffer({}), { id: 1 });
  });

  it('finds the country in each form of the place', () => {
    const code = (geolocation: unknown) => anOffer({ geolocation }).countryCode;
    assert.deepEqual(['Sweden, SE', 'US', ', US', 'Sweden', null, 'Kansas, us'].map(code), [
      'SE',
      'US',
      'US',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('knows a verified machine by either field, and a data centre by its type', () => {
    assert.equal(anOffer({ verification: 'verified' }).verified, true);
    assert.equal(anOffer({ verification: 'deverified' }).verified, false);
    assert.equal(anOffer({ verification: 'verified', verified: false }).verified, false);
    assert.equal(anOffer({ hosting_type: 1 }).datacenter, true);
    assert.equal(anOffer({ hosting_type: 0 }).datacenter, false);
  });

  it('rounds no price down', () => {
    assert.equal(anOffer({ dph_total: 0.1234561 }).totalPerHour, 123_457);
  });
});

describe('toUser', () => {
  const aUser = (fields: object) => toUser(user.parse({ id: 1, ...fields }));

  it('reads an account with only the documented fields', () => {
    assert.deepEqual(aUser({ email: 'a@example.com', credit: 10, ssh_key: 'ssh-rsa A' }), {
      id: 1,
      email: 'a@example.com',
      credit: 10_000_000,
      sshKey: 'ssh-rsa A',
    });
  });

  it('keeps a negative balance', () => {
    assert.equal(aUser({ balance: -2.5 }).balance, -2_500_000);
  });

  it('distinguishes an unverified address from one that the record does not mention', () => {
    assert.equal(aUser({ email_verified_at: null }).emailVerified, false);
    assert.equal(aUser({ email_verified_at: 1_700_000_000 }).emailVerified, true);
    assert.equal(aUser({ email_verified: 1 }).emailVerified, true);
    assert.equal(aUser({}).emailVerified, undefined);
  });

  it('reads the name from any field that has one', () => {
    assert.equal(aUser({ full_name: '', fullname: 'Ada' }).name, 'Ada');
    assert.equal(aUser({ username: 'ada' }).name, 'ada');
  });
});

describe('toTemplate', () => {
  const aTemplate = (fields: object) => toTemplate(template.parse({ id: 1, hash_id: 'h', ...fields }));

  it('keeps texts byte for byte and the record for the document', () => {
    const made = aTemplate({ name: ' n ', image: 'i', onstart: 'a\r\n', odd: { kept: true } });
    assert.equal(made.name, ' n ');
    assert.equal(made.onstart, 'a\r\n');
    assert.deepEqual(made.raw['odd'], { kept: true });
  });

  it('keeps the flags of an environment as they are written, and writes those of another form', () => {
    const written = '-e  A="1 2"   -p 80:80';
    assert.equal(aTemplate({ env: written }).env, written);
    assert.equal(aTemplate({ env: { A: '1', '-p 80:80': '1' } }).env, '-e A=1 -p 80:80');
    assert.equal(aTemplate({ env: [['A', '1']] }).env, '-e A=1');
    assert.equal(aTemplate({ env: null }).env, undefined);
  });

  it('understands filters as an object and as a JSON text, and nothing else', () => {
    const filters = { num_gpus: { gte: 2 } };
    assert.deepEqual(aTemplate({ extra_filters: filters }).extraFilters, filters);
    assert.deepEqual(aTemplate({ extra_filters: JSON.stringify(filters) }).extraFilters, filters);
    for (const odd of ['{', '[]', 3, null]) {
      assert.equal(aTemplate({ extra_filters: odd }).extraFilters, undefined);
    }
    assert.deepEqual(aTemplate({ extra_filters: { a: 1, ...filters } }).extraFilters, filters);
  });

  it('distinguishes null from a missing folder', () => {
    assert.equal(aTemplate({ jupyter_dir: null }).jupyterDir, null);
    assert.equal('jupyterDir' in aTemplate({}), false);
  });
});
