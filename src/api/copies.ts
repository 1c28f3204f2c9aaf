import { copySizeIn, endName, type CloudConnection, type CopyEnd } from '../model/instances/dataCopy';
import { defined } from '../util/defined';
import { text } from '../util/text';
import { cloudConnection, cloudConnectionList, type WireCloudConnection } from '../wire/cloudConnection';
import { copyHost } from '../wire/copyHost';
import { resultPointer } from '../wire/instance';
import type { Client } from './client';
import { NotSentError, NotUnderstoodError } from './errors';
import type { CallOptions, Http } from './http';
import { readList } from './listing';
import { nonEmpty } from './modelValues';
import { read, sendWrite, write } from './request';

/** Copies that the service makes from machine to machine (docs/service/commands.md#copy). */
export function copiesApi(http: Http): Client['copies'] {
  return {
    connections: (options) => {
      const request = read('GET /api/v0/users/cloud_integrations/');
      return readList(http, request, cloudConnectionList, cloudConnection, toConnection, options);
    },
    // Also a failure before it is sent rejects.
    begin: async (from, to, options) => {
      const body = copyBody(from, nameOf(to), to.path);
      return sendWrite(http, { ...write('PUT /api/v0/commands/copy_direct/'), body }, options);
    },
    cancel: (instanceId, options) => {
      const body = { client_id: 'me', dst_id: nameOf({ instanceId, path: '' }) };
      return sendWrite(http, { ...write('DELETE /api/v0/commands/copy_direct/'), body }, options);
    },
    cancelFromClouds: (instanceId, options) => {
      const body = { client_id: 'me', dst_id: instanceId };
      return sendWrite(http, { ...write('DELETE /api/v0/commands/rclone/'), body }, options);
    },
    size: async (from, options) => {
      const body = { src_id: nameOf(from), src_path: from.path };
      const request = { ...read('POST /api/v0/commands/get_copy_size/'), body };
      const { result_url } = await http.call(request, resultPointer, options);
      if (result_url === undefined) {
        throw new NotUnderstoodError({ route: request.route, status: 200 });
      }
      return copySizeIn(await http.fetchResult(result_url, options));
    },
    host: async (from, options) => {
      // The computer of the caller has no number, and its path is sent for the service's own log.
      const body = copyBody(from, null, '.');
      const request = { ...write('PUT /api/v0/commands/rsync/'), body };
      const { src_addr, src_port } = await http.call(request, copyHost, options);
      return { host: src_addr, port: src_port };
    },
    toCloud: (from, to, options) => {
      const names = { instance_id: from.instanceId, selected: to.connectionId };
      return viaCloud(
        http,
        { src: from.path, dst: to.path, ...names, transfer: 'Instance To Cloud' },
        options,
      );
    },
    fromCloud: (from, to, options) => {
      const names = { instance_id: to.instanceId, selected: from.connectionId };
      return viaCloud(
        http,
        { src: from.path, dst: to.path, ...names, transfer: 'Cloud To Instance' },
        options,
      );
    },
  };
}

function copyBody(from: CopyEnd, dst_id: string | null, dst_path: string) {
  return { client_id: 'me', src_id: nameOf(from), dst_id, src_path: from.path, dst_path };
}

/** See docs/service/commands.md#cloud-copy. */
function viaCloud(http: Http, copy: Readonly<Record<string, string | number>>, options?: CallOptions) {
  return sendWrite(
    http,
    { ...write('POST /api/v0/commands/rclone/'), body: { ...copy, flags: [] } },
    options,
  );
}

function nameOf(end: CopyEnd): string {
  const name = endName(end);
  if (name === undefined) {
    throw new NotSentError(
      text('The service does not state the kind of this cloud connection. Copy by an instance instead.'),
    );
  }
  return name;
}

function toConnection({ id, name, cloud_type }: WireCloudConnection): CloudConnection {
  return defined<CloudConnection>({ id, name: nonEmpty(name), kind: nonEmpty(cloud_type) });
}
