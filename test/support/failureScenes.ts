import assert from 'node:assert/strict';
import type { Client } from '../../src/api/client';
import { fromDollars } from '../../src/model/money';
import type { ClientMethod } from './operation';
import { operations } from './operations';
import { clientMethods } from './operationsTable';
import { rentCheapest } from './rentRunning';
import { lastCode, totpCode, type OrderedAccount } from './secondFactorAccount';
import type { TestSimulator } from './startSimulator';

export interface SceneParts {
  readonly simulator: TestSimulator;
  /** Prepares; the one under test is another. */
  readonly client: Client;
  /** Whose second factor is used. */
  readonly account: OrderedAccount;
  /** The ids of its methods. */
  readonly totp: number;
  readonly sms: number;
}

/** Brings the market into a state in which the call that it returns succeeds. */
export type Scene = (parts: SceneParts) => Promise<(client: Client) => Promise<unknown>>;

const publicKey =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGZha2VmYWtlZmFrZWZha2VmYWtlZmFrZWZha2VmYWtl me@laptop';
const secondPhone = '+14155550177';

const always =
  (call: (client: Client) => Promise<unknown>): Scene =>
  () =>
    Promise.resolve(call);
const onInstance =
  (call: (client: Client, id: number) => Promise<unknown>): Scene =>
  async ({ simulator }) => {
    const id = await rentCheapest(simulator);
    return (client) => call(client, id);
  };
const onTemplate =
  (
    call: (client: Client, template: Awaited<ReturnType<Client['templates']['create']>>) => Promise<unknown>,
  ): Scene =>
  async ({ client: own }) => {
    const template = await own.templates.create({ name: 'mine', image: 'pytorch/pytorch', private: true });
    return (client) => call(client, template);
  };
const onMachine =
  (call: (client: Client, id: number) => Promise<unknown>): Scene =>
  ({ simulator: { world } }) => {
    const id = world.market.machines.find(({ hostId }) => hostId === world.accounts[0]?.hostId)?.id ?? 0;
    return Promise.resolve((client) => call(client, id));
  };

/** The 34 operations of the interface. */
export const failureScenes: Readonly<Partial<Record<ClientMethod, Scene>>> = {
  'users.current': always((client) => client.users.current()),
  'offers.search': always((client) =>
    client.offers.search({ filters: {}, rentalType: 'on-demand', order: [], limit: 3 }),
  ),
  'offers.rent': async ({ simulator }) => {
    const found = await simulator.call('POST', '/api/v0/bundles/', { rentable: { eq: true }, limit: 1 });
    const id = Number(found.json.offers[0].id);
    return (client) => client.offers.rent(id, { image: 'pytorch/pytorch:latest', diskGb: 10 });
  },
  'instances.list': always((client) => client.instances.list()),
  'instances.get': onInstance((client, id) => client.instances.get(id)),
  'instances.stop': onInstance((client, id) => client.instances.stop(id)),
  'instances.destroy': onInstance((client, id) => client.instances.destroy(id)),
  'instances.keys': onInstance((client, id) => client.instances.keys(id)),
  'instances.detachKey': async ({ simulator, client: own }) => {
    const id = await rentCheapest(simulator);
    await own.instances.attachKey(id, publicKey);
    const [key] = (await own.instances.keys(id)).items;
    return (client) => client.instances.detachKey(id, key?.id ?? 0);
  },
  'instances.execute': async ({ simulator }) => {
    const id = await rentCheapest(simulator);
    simulator.advance(600);
    return (client) => client.instances.execute(id, 'ls');
  },
  'templates.search': always((client) => client.templates.search({})),
  'templates.create': always((client) => client.templates.create({ name: 'n', image: 'i' })),
  'templates.edit': onTemplate((client, { hashId }) => client.templates.edit(hashId, { name: 'renamed' })),
  'templates.remove': onTemplate((client, { id }) => client.templates.remove(id)),
  'apiKeys.create': always((client) =>
    client.apiKeys.create({ name: 'ci', permissions: { api: { misc: {} } } }),
  ),
  'secrets.remove': async ({ client: own }) => {
    const { length } = await own.secrets.list();
    const name = `TOKEN_${String(length)}`;
    await own.secrets.create(name, 'value');
    return (client) => client.secrets.remove(name);
  },
  'teamRoles.get': always((client) => client.teamRoles.get('Finance & audit')),
  'secondFactor.status': always((client) => client.secondFactor.status()),
  'secondFactor.logIn': ({ simulator, account, totp }) => {
    const code = totpCode(simulator, account.totpSecret);
    return Promise.resolve((client) =>
      client.secondFactor.logIn({ kind: 'code', factor: 'totp', code, methodId: totp }),
    );
  },
  'secondFactor.sendEmail': always((client) => client.secondFactor.sendEmail()),
  'secondFactor.sendSms': ({ sms }) =>
    Promise.resolve((client) => client.secondFactor.sendSms({ methodId: sms })),
  'secondFactor.resendSms': async ({ client: own, account, sms }) => {
    const { secret } = await own.secondFactor.sendSms({ methodId: sms });
    return (client) => client.secondFactor.resendSms({ phone: account.phone, secret });
  },
  'secondFactor.startAuthorization': ({ totp }) =>
    Promise.resolve((client) =>
      client.secondFactor.startAuthorization({ kind: 'code', factor: 'totp', methodId: totp }),
    ),
  'secondFactor.finishAuthorization': async ({ simulator, client: own, account }) => {
    const { secret = '' } = await own.secondFactor.startAuthorization({ kind: 'code', factor: 'totp' });
    const code = totpCode(simulator, account.totpSecret);
    return (client) => client.secondFactor.finishAuthorization({ code, secret });
  },
  'secondFactor.setUpTotp': always((client) => client.secondFactor.setUpTotp()),
  'secondFactor.confirmNew': async ({ simulator, client: own, account }) => {
    await own.secondFactor.startAuthorization({ kind: 'backup', backupCode: account.backupCodes[0] ?? '' });
    const { secret } = await own.secondFactor.sendSms({ phone: secondPhone });
    const code = await lastCode(simulator);
    return (client) => client.secondFactor.confirmNew({ type: 'sms', code, secret, phone: secondPhone });
  },
  'secondFactor.update': ({ sms }) =>
    Promise.resolve((client) => client.secondFactor.update(sms, { label: 'Mine' })),
  'secondFactor.remove': ({ account, sms }) =>
    Promise.resolve((client) =>
      client.secondFactor.remove(sms, { kind: 'backup', backupCode: account.backupCodes[0] ?? '' }),
    ),
  'secondFactor.regenerateBackupCodes': async ({ simulator, client: own }) => {
    const { secret } = await own.secondFactor.sendEmail();
    const code = await lastCode(simulator);
    return (client) =>
      client.secondFactor.regenerateBackupCodes({ kind: 'code', factor: 'email', code, secret });
  },
  'machines.setMinimumBid': onMachine((client, id) => client.machines.setMinimumBid(id, fromDollars(0.1))),
  'machines.scheduleMaintenance': onMachine((client, id) =>
    client.machines.scheduleMaintenance(id, {
      startsAt: Date.UTC(2100, 4, 1),
      hours: 2,
      reason: 'New fans',
      category: 'gpu',
    }),
  ),
  'metrics.gpus': always((client) =>
    client.metrics.gpus({ verified: 'all', hostingType: 'all', gpuCount: 'all' }),
  ),
  'earnings.report': ({ simulator }) =>
    Promise.resolve((client) =>
      client.earnings.report(simulator.world.accounts[0]?.id ?? 0, { lastDays: 7 }),
    ),
  'deployments.stop': always((client) => client.deployments.stop(644)),
};

/** The methods of the interface in the order of the table of operations. */
export const scenedMethods: readonly ClientMethod[] = clientMethods.filter(
  (method) => operations[method].isDocumented,
);

export function sceneOf(method: ClientMethod): Scene {
  const scene = failureScenes[method];
  assert.ok(scene, `${method} has no scene in test/support/failureScenes.ts`);
  return scene;
}
