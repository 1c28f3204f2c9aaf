import type { CloudConnection, CopyHost, InstancePath } from '../model/instances/dataCopy';
import { defined } from '../util/defined';
import { cloudConnection, cloudConnectionList, type WireCloudConnection } from '../wire/cloudConnection';
import { copyHost } from '../wire/copyHost';
import type { Client } from './client';
import type { CallOptions, Http } from './http';
import { listReader } from './listing';
import { nonEmpty } from './modelValues';
import { sendWrite } from './write';

const direct = '/api/v0/commands/copy_direct/';
const host = '/api/v0/commands/rsync/';
const cloud = '/api/v0/commands/rclone/';

/** Copies that the service makes from machine to machine (docs/service/commands.md#copy). */
export function copiesApi(http: Http): Client['copies'] {
  return {
    connections: listReader(http, {
      path: '/api/v0/users/cloud_integrations/',
      answer: cloudConnectionList,
      names: ['cloud_integrations'],
      record: cloudConnection,
      toModel: toConnection,
    }),
    begin: (from, to, options) => begin(http, from, to, options),
    cancel: async (instanceId, options) => {
      const body = { client_id: 'me', dst_id: nameOf(instanceId) };
      await sendWrite(http, { method: 'DELETE', path: direct, body, route: `DELETE ${direct}` }, options);
    },
    host: (from, options) => hostOf(http, from, options),
    toCloud: (from, to, options) =>
      viaCloud(
        http,
        {
          src: from.path,
          dst: to.path,
          instance_id: from.instanceId,
          selected: to.connectionId,
          transfer: 'Instance To Cloud',
        },
        options,
      ),
    fromCloud: (from, to, options) =>
      viaCloud(
        http,
        {
          src: from.path,
          dst: to.path,
          instance_id: to.instanceId,
          selected: from.connectionId,
          transfer: 'Cloud To Instance',
        },
        options,
      ),
  };
}

async function begin(http: Http, from: InstancePath, to: InstancePath, options?: CallOptions): Promise<void> {
  const body = {
    client_id: 'me',
    src_id: nameOf(from.instanceId),
    dst_id: nameOf(to.instanceId),
    src_path: from.path,
    dst_path: to.path,
  };
  await sendWrite(http, { method: 'PUT', path: direct, body, route: `PUT ${direct}` }, options);
}

/** The computer of the caller has no number, and its path is told for the service's own log. */
async function hostOf(http: Http, from: InstancePath, options?: CallOptions): Promise<CopyHost> {
  const body = {
    client_id: 'me',
    src_id: nameOf(from.instanceId),
    dst_id: null,
    src_path: from.path,
    dst_path: '.',
  };
  const request = { method: 'PUT', path: host, body, route: `PUT ${host}`, repeat: 'write' } as const;
  const { src_addr, src_port } = await http.call(request, copyHost, options);
  return { host: src_addr, port: src_port };
}

/** See docs/service/commands.md#cloud-copy. */
async function viaCloud(
  http: Http,
  copy: Readonly<Record<string, string | number>>,
  options?: CallOptions,
): Promise<void> {
  const body = { ...copy, flags: [] };
  await sendWrite(http, { method: 'POST', path: cloud, body, route: `POST ${cloud}` }, options);
}

/** An instance among volumes and clouds. */
function nameOf(instanceId: number): string {
  return `C.${instanceId}`;
}

function toConnection({ id, name, cloud_type }: WireCloudConnection): CloudConnection {
  return defined<CloudConnection>({ id, name: nonEmpty(name), kind: nonEmpty(cloud_type) });
}
