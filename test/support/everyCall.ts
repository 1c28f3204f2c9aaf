import type { Client } from '../../src/api/client';
import { fromDollars } from '../../src/model/money';
import { moneyCalls } from './moneyCalls';
import type { ClientMethod } from './operation';

export interface Call {
  readonly call: (client: Client) => Promise<unknown>;
  /** An answer that the call understands. */
  readonly example: unknown;
}

const instanceRow = {
  id: 5001,
  label: 'train [gr-0123abcd]',
  actual_status: 'running',
  status_msg: 'success\n',
  extra_env: [['A', '1']],
  ports: { '22/tcp': [{ HostIp: '0.0.0.0', HostPort: '40122' }] },
  ssh_host: 'ssh5.example.com',
  ssh_port: 15001,
  dph_total: 0.4,
  storage_cost: 0.15,
  disk_space: 20,
  disk_usage: -1,
  volume_info: [],
};
const keyRow = { id: 4, public_key: 'ssh-ed25519 AAAA me', name: 'laptop', created_at: '2026-01-01' };
const pointer = {
  success: true,
  result_url: 'https://files.example.com/a.log',
  writeable_path: '/x',
  msg: 'wait',
};
const done = { success: true, msg: 'ok' };
export const order = {
  instanceId: 5001,
  endpoint: '/api/v0/instances/5001/',
  method: 'PUT',
  body: { state: 'stopped' },
  startTime: 1_796_108_400,
  endTime: 1_796_108_460,
  frequency: 'WEEKLY',
  day: 2,
  hour: 7,
};
const hook = { url: 'https://relay.example.org/v', eventTypes: ['client:outbid'] };
const shownHook = { success: true, webhook: { id: 61, webhook_secret: 'whs_made_up' } };

/** Each method of the client with an answer that it understands; the type lets none be left out. */
export const calls: Readonly<Record<ClientMethod, Call>> = {
  'users.current': {
    call: (client) => client.users.current(),
    example: { id: 1, email: 'a@example.com', balance: 1.5, email_verified_at: null, tfa_status: 'disabled' },
  },
  'offers.search': {
    call: (client) => client.offers.search({ filters: {}, rentalType: 'on-demand', order: [] }),
    example: {
      offers: [{ id: 1, gpu_name: 'RTX 4090', geolocation: 'Sweden, SE', dph_total: '0.3' }, { id: 2 }],
    },
  },
  'offers.gpuNames': {
    call: (client) => client.offers.gpuNames(),
    example: {
      gpu_types: [
        { canonical_name: 'RTX 4090', gpu_ram_mb: 24564 },
        { canonical_name: 'NEW', gpu_ram_mb: null },
      ],
    },
  },
  'offers.rent': {
    call: (client) => client.offers.rent(1, { image: 'i' }),
    example: { success: true, new_contract: 7, instance_api_key: 'k' },
  },
  'instances.list': {
    call: (client) => client.instances.list(),
    example: { instances_found: 2, instances: [instanceRow, { id: 2 }], next_token: null },
  },
  'instances.get': { call: (client) => client.instances.get(5001), example: { instances: instanceRow } },
  'instances.start': {
    call: (client) => client.instances.start(1),
    example: { success: false, error: 'resources_unavailable', msg: 'queued' },
  },
  'instances.stop': { call: (client) => client.instances.stop(1), example: done },
  'instances.destroy': { call: (client) => client.instances.destroy(1), example: done },
  'instances.stopMany': { call: (client) => client.instances.stopMany([1, 2]), example: done },
  'instances.destroyMany': { call: (client) => client.instances.destroyMany([1, 2]), example: done },
  'instances.reboot': { call: (client) => client.instances.reboot(1), example: done },
  'instances.recycle': { call: (client) => client.instances.recycle(1), example: done },
  'instances.changeImage': {
    call: (client) => client.instances.changeImage(1, { kind: 'image', image: 'ubuntu:24.04' }),
    example: { success: true, updated_instance: 1 },
  },
  'instances.label': { call: (client) => client.instances.label(1, 'x'), example: done },
  'instances.changeBid': { call: (client) => client.instances.changeBid(1, fromDollars(0.2)), example: done },
  'instances.deposit': {
    call: (client) => client.instances.deposit(1),
    example: { success: true, refundable_deposit: 118.4, total_discount: 9.1, discount_months: 1.7 },
  },
  'instances.reportMachine': {
    call: (client) => client.instances.reportMachine(1, { machineId: 2, problem: 'Other', message: 'slow' }),
    example: done,
  },
  'instances.takeSnapshot': {
    call: (client) =>
      client.instances.takeSnapshot(1, {
        ...{ registry: 'ghcr.io', repository: 'ana/warm', user: 'ana', password: 'push-only', pauses: true },
      }),
    example: done,
  },
  'instances.keys': {
    call: (client) => client.instances.keys(1),
    example: { success: true, ssh_keys: JSON.stringify([keyRow]) },
  },
  'instances.attachKey': {
    call: (client) => client.instances.attachKey(1, 'ssh-ed25519 AAAA'),
    example: done,
  },
  'instances.detachKey': { call: (client) => client.instances.detachKey(1, 2), example: done },
  'instances.execute': { call: (client) => client.instances.execute(1, 'ls'), example: pointer },
  'instances.logs': { call: (client) => client.instances.logs(1, { tail: 10 }), example: pointer },
  'sshKeys.list': { call: (client) => client.sshKeys.list(), example: [keyRow, { id: 9, key: 'ssh-rsa B' }] },
  'sshKeys.add': {
    call: (client) => client.sshKeys.add('ssh-rsa C'),
    example: { success: true, key: keyRow },
  },
  'sshKeys.remove': { call: (client) => client.sshKeys.remove(1), example: done },
  'templates.search': {
    call: (client) => client.templates.search({}),
    example: {
      templates: [{ id: 1, hash_id: 'abc', name: 'n', image: 'i', extra_filters: '{"a":{"eq":1}}' }],
    },
  },
  'templates.create': {
    call: (client) => client.templates.create({ name: 'n', image: 'i' }),
    example: { success: true, template: { id: 1, hash_id: 'abc' } },
  },
  'templates.edit': {
    call: (client) => client.templates.edit('abc', { name: 'm' }),
    example: { success: true, template: { id: 1, hash_id: 'abd' } },
  },
  'templates.remove': { call: (client) => client.templates.remove(1), example: done },
  'apiKeys.list': {
    call: (client) => client.apiKeys.list(),
    example: {
      apikeys: [{ id: 1, name: 'ci', rights: 'read', permissions: { api: { misc: {} } }, key_params: '{}' }],
    },
  },
  'apiKeys.create': {
    call: (client) => client.apiKeys.create({ name: 'ci', permissions: { api: { misc: {} } } }),
    example: { id: 1, key: 'k', permissions: true },
  },
  'apiKeys.remove': { call: (client) => client.apiKeys.remove(1), example: 'Successfully Deleted API Key' },
  'secrets.list': {
    call: (client) => client.secrets.list(),
    example: { success: true, secrets: { HF_TOKEN: '*****' } },
  },
  'secrets.create': { call: (client) => client.secrets.create('A', 'b'), example: done },
  'secrets.update': { call: (client) => client.secrets.update('A', 'b'), example: done },
  'secrets.remove': { call: (client) => client.secrets.remove('A'), example: done },
  'team.members': {
    call: (client) => client.team.members(),
    example: [{ id: 2, username: 'ben', email: 'ben@example.org', fullname: 'Ben', roles: ['team_member'] }],
  },
  'team.balances': {
    call: (client) => client.team.balances(),
    example: { success: true, balances: [{ team_id: 88, team_name: 'lab', balance: 41.2 }] },
  },
  'teamRoles.get': {
    call: (client) => client.teamRoles.get('admin'),
    example: { id: 1, name: 'admin', permissions: ['misc'] },
  },
  'teamRoles.list': {
    call: (client) => client.teamRoles.list(),
    example: [{ id: 1, name: 'admin', permissions: {} }],
  },
  'secondFactor.status': {
    call: (client) => client.secondFactor.status(),
    example: {
      success: true,
      tfa_enabled: true,
      methods: [
        {
          id: 1,
          user_id: 3,
          method: 'sms',
          label: 'l',
          phone_number: '***1234',
          is_primary: true,
          locked_until: null,
        },
      ],
      backup_codes_remaining: 9,
      new_method_authorized: false,
    },
  },
  'secondFactor.logIn': {
    call: (client) => client.secondFactor.logIn({ kind: 'code', factor: 'totp', code: '123456' }),
    example: { id: 3, session_key: 'session', backup_codes_remaining: 3, legacy_tfa_user: true },
  },
  'secondFactor.sendEmail': {
    call: (client) => client.secondFactor.sendEmail(),
    example: { ...done, secret: 's' },
  },
  'secondFactor.sendSms': {
    call: (client) => client.secondFactor.sendSms({ methodId: 1 }),
    example: { ...done, secret: 's' },
  },
  'secondFactor.resendSms': {
    call: (client) => client.secondFactor.resendSms({ methodId: 1 }),
    example: { ...done, secret: 's' },
  },
  'secondFactor.startAuthorization': {
    call: (client) => client.secondFactor.startAuthorization({ kind: 'code', factor: 'email' }),
    example: { ...done, secret: 's' },
  },
  'secondFactor.finishAuthorization': {
    call: (client) => client.secondFactor.finishAuthorization({ code: '123456', secret: 's' }),
    example: done,
  },
  'secondFactor.setUpTotp': {
    call: (client) => client.secondFactor.setUpTotp(),
    example: {
      secret: 'JBSWY3DPEHPK3PXP',
      provisioning_uri: 'otpauth://totp/x?secret=JBSWY3DPEHPK3PXP&issuer=y',
    },
  },
  'secondFactor.confirmNew': {
    call: (client) => client.secondFactor.confirmNew({ type: 'totp', code: '123456', secret: 's' }),
    example: { ...done, backup_codes: ['AAAA-BBBB-CCCC'] },
  },
  'secondFactor.update': {
    call: (client) => client.secondFactor.update(1, { label: 'x' }),
    example: { ...done, method: { id: 1, method: 'totp' } },
  },
  'secondFactor.remove': {
    call: (client) => client.secondFactor.remove(1, { kind: 'code', factor: 'totp', code: '123456' }),
    example: { ...done, remaining_methods: 1 },
  },
  'secondFactor.regenerateBackupCodes': {
    call: (client) =>
      client.secondFactor.regenerateBackupCodes({ kind: 'backup', backupCode: 'AAAA-BBBB-CCCC' }),
    example: { msg: 'success', backup_codes: ['AAAA-BBBB-CCCC', 'DDDD-EEEE-FFFF'] },
  },
  'machines.list': {
    call: (client) => client.machines.list(),
    example: {
      machines: [
        { id: 1, num_gpus: 2, gpu_name: 'RTX 4090', gpu_occupancy: 'D D', listed: true, end_date: null },
      ],
    },
  },
  'machines.setMinimumBid': {
    call: (client) => client.machines.setMinimumBid(1, fromDollars(0.2)),
    example: { success: true, you_sent: { price: 0.2 } },
  },
  'machines.scheduleMaintenance': {
    call: (client) =>
      client.machines.scheduleMaintenance(1, {
        startsAt: 1.8e12,
        hours: 2,
        reason: 'fans',
        category: 'power',
      }),
    example: { success: true, you_sent: '3' },
  },
  'metrics.gpus': {
    call: (client) => client.metrics.gpus({ verified: 'all', hostingType: 'all', gpuCount: 'all' }),
    example: { success: true, gpus: [{ gpu_name: 'RTX 4090', total: 10, price_median: null, usage: 80.9 }] },
  },
  'earnings.report': {
    call: (client) => client.earnings.report(3, { lastDays: 7 }),
    example: {
      summary: { total_gpu: 1, total_stor: 2, total_bwu: 3, total_bwd: 4 },
      current: { balance: 1, service_fee: 2, total: 3, credit: 4 },
      username: null,
      per_machine: [{ machine_id: 1, gpu_earn: 1, sto_earn: 1, bwu_earn: 0, bwd_earn: 0 }],
      per_day: [{ day: 20758, gpu_earn: 1, sto_earn: 1, bwu_earn: 0, bwd_earn: 0 }],
    },
  },
  ...moneyCalls,
  'deployments.list': {
    call: (client) => client.deployments.list(),
    example: { deployments: [{ id: 1, name: 'd', endpoint_state: null }] },
  },
  'deployments.get': {
    call: (client) => client.deployments.get(1),
    example: { success: true, deployment: { id: 1, name: 'd', endpoint_state: 'active' } },
  },
  'deployments.start': {
    call: (client) => client.deployments.start(1),
    example: { success: true, endpoint_state: 'active' },
  },
  'deployments.stop': {
    call: (client) => client.deployments.stop(1),
    example: { success: true, endpoint_state: 'stopped' },
  },
  'volumes.list': {
    call: (client) => client.volumes.list(),
    example: { volumes: [{ id: 77, label: 'v', disk_space: 15, instances: [1, { id: 2 }], machine_id: 8 }] },
  },
  'volumes.search': {
    call: (client) => client.volumes.search({ leastSizeGb: 10 }),
    example: { offers: [{ id: 5, machine_id: 8, disk_space: 100, storage_cost: 0.1 }] },
  },
  'volumes.create': {
    call: (client) => client.volumes.create({ offerId: 5, sizeGb: 10, name: 'v' }),
    example: { success: true, volume_name: 'V.20118481' },
  },
  'volumes.clone': {
    call: (client) => client.volumes.clone({ volumeId: 77, offerId: 5, sizeGb: 10 }),
    example: { success: true, volume_name: 'V.20118482' },
  },
  'volumes.remove': { call: (client) => client.volumes.remove(77), example: done },
  'copies.connections': {
    call: (client) => client.copies.connections(),
    example: [{ id: 4411, name: 'checkpoints', cloud_type: 's3' }],
  },
  'copies.begin': {
    call: (client) => client.copies.begin({ instanceId: 1, path: '/a' }, { instanceId: 2, path: '/b' }),
    example: { success: true, msg: 'Remote to Remote copy initiated - check instance status bar.' },
  },
  'copies.cancel': { call: (client) => client.copies.cancel(2), example: done },
  'copies.cancelFromClouds': { call: (client) => client.copies.cancelFromClouds(2), example: done },
  'copies.size': {
    call: (client) => client.copies.size({ volumeId: 77, path: '/a' }),
    example: { success: true, result_url: 'https://files.example.com/s' },
  },
  'copies.host': {
    call: (client) => client.copies.host({ instanceId: 1, path: '/a' }),
    example: { success: true, src_addr: '192.0.2.7', src_port: 22 },
  },
  'copies.toCloud': {
    call: (client) =>
      client.copies.toCloud({ instanceId: 1, path: '/a' }, { connectionId: 4411, path: '/b' }),
    example: done,
  },
  'copies.fromCloud': {
    call: (client) =>
      client.copies.fromCloud({ connectionId: 4411, path: '/b' }, { instanceId: 1, path: '/a' }),
    example: done,
  },
  'priceIncreases.list': {
    call: (client) => client.priceIncreases.list(),
    example: { pending_price_increases: [{ id: 1, instance_id: 2, current_price: 0.1, new_price: 0.2 }] },
  },
  'priceIncreases.accept': { call: (client) => client.priceIncreases.accept(1), example: done },
  'priceIncreases.reject': { call: (client) => client.priceIncreases.reject(1), example: done },
  'timetable.list': {
    call: (client) => client.timetable.list(),
    example: [
      { id: 905, instance_id: 5001, frequency: 'WEEKLY', request_body: {}, last_executed_around: null },
    ],
  },
  'timetable.create': {
    call: (client) => client.timetable.create(order),
    example: { success: true, scheduled_job_id: 905, msg: 'created' },
  },
  'timetable.change': { call: (client) => client.timetable.change(905, order), example: done },
  'timetable.remove': { call: (client) => client.timetable.remove(905), example: done },
  'notifications.types': {
    call: (client) => client.notifications.types(),
    example: {
      success: true,
      notification_types: [
        {
          key: 'client:idle_gpu',
          slug: 'idle_gpu',
          context: 'client',
          display_name: 'GPU idle',
          default_preferences: { email: false, webhooks: false, sms: false },
          mandatory_email: false,
        },
      ],
    },
  },
  'notifications.preferences': {
    call: (client) => client.notifications.preferences(1),
    example: {
      success: true,
      notification_preferences: { client: { outbid: { email: true, webhooks: false } }, host: {} },
    },
  },
  'notifications.setPreferences': {
    call: (client) => client.notifications.setPreferences(1, { client: {}, host: {} }),
    example: done,
  },
  'notifications.webhooks': {
    call: (client) => client.notifications.webhooks(),
    example: { success: true, webhooks: [{ id: 61, webhook_url: hook.url, event_types: ['client:outbid'] }] },
  },
  'notifications.createWebhook': {
    call: (client) => client.notifications.createWebhook(hook),
    example: shownHook,
  },
  'notifications.removeWebhook': { call: (client) => client.notifications.removeWebhook(61), example: done },
  'notifications.rotateWebhookSecret': {
    call: (client) => client.notifications.rotateWebhookSecret(61),
    example: shownHook,
  },
  'notifications.testWebhook': {
    call: (client) => client.notifications.testWebhook(61),
    example: { success: true, webhook_id: 61, event_id: '00ff' },
  },
};
