import type { Clock } from '../util/clock';
import type { Log } from '../util/log';
import { apiKeysApi, secretsApi, sshKeysApi, teamRolesApi, usersApi } from './account';
import { auditLogApi } from './auditLog';
import { parseBaseUrl } from './baseUrl';
import { chargesApi } from './charges';
import type { Client } from './client';
import { copiesApi } from './copies';
import { deploymentsApi, earningsApi, machinesApi } from './hosting';
import { instancesApi, priceIncreasesApi } from './instances';
import { invoicesApi } from './invoices';
import { notificationsApi } from './notifications';
import { metricsApi, offersApi } from './offers';
import { Pacer } from './pacing';
import { defaultPolicy, type HttpPolicy } from './policy';
import { secondFactorApi } from './secondFactor';
import { ServiceHttp, type ClientHooks } from './serviceHttp';
import { teamApi } from './team';
import { templatesApi } from './templates';
import { timetableApi } from './timetable';
import type { Transport } from './transport';
import { volumesApi } from './volumes';

interface ClientOptions {
  /** Address of the service; its path prefix is kept. Throws `ServiceAddressError` when it is unsafe. */
  readonly baseUrl: string | URL;
  /** The key or session of the account, asked for each request. */
  readonly bearer: () => Promise<string>;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Log;
  /** Between 0 and 1, for the jitter of waits. */
  readonly random?: () => number;
  readonly policy?: Partial<HttpPolicy>;
  readonly hooks?: ClientHooks | undefined;
}

/** A client for one account; it remembers what it learned about the service as long as it lives. */
export function createClient(options: ClientOptions): Client {
  const { hooks = {} } = options;
  const policy = { ...defaultPolicy, ...options.policy };
  const http = new ServiceHttp({
    baseUrl: parseBaseUrl(String(options.baseUrl)),
    bearer: options.bearer,
    transport: options.transport,
    clock: options.clock,
    log: options.log,
    random: options.random ?? Math.random,
    pacing: hooks.pacing ?? new Pacer(options.clock, policy.limits),
    policy,
    hooks,
  });
  return {
    users: usersApi(http),
    offers: offersApi(http),
    instances: instancesApi(http),
    sshKeys: sshKeysApi(http),
    templates: templatesApi(http),
    volumes: volumesApi(http),
    secondFactor: secondFactorApi(http),
    team: teamApi(http),
    teamRoles: teamRolesApi(http),
    secrets: secretsApi(http),
    priceIncreases: priceIncreasesApi(http),
    metrics: metricsApi(http),
    machines: machinesApi(http),
    earnings: earningsApi(http),
    deployments: deploymentsApi(http),
    auditLog: auditLogApi(http),
    charges: chargesApi(http),
    invoices: invoicesApi(http),
    apiKeys: apiKeysApi(http),
    copies: copiesApi(http),
    timetable: timetableApi(http),
    notifications: notificationsApi(http),
  };
}
