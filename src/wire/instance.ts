import * as z from 'zod';
import {
  flags,
  id,
  looseMembers,
  nextOf,
  numbers,
  rawTexts,
  successAnswer,
  texts,
  type WirePage,
} from './field';

/** Docker's port map: `{"22/tcp":[{"HostIp":"0.0.0.0","HostPort":"40122"}]}`. */
const portMap = z
  .record(z.string(), looseMembers(z.object(numbers('HostPort'))))
  .nullish()
  .catch(undefined);

/** A row of the lists, or the single answer (docs/service/instances.md#record). */
export const instance = z.object({
  id,
  ...numbers('machine_id', 'host_id'),
  ...rawTexts('label'),
  actual_status: z.string().nullish().catch(undefined),
  ...texts('cur_state', 'next_state', 'intended_status', 'status_msg'),
  ...numbers('template_id'),
  ...texts('template_hash_id', 'template_name', 'image_uuid', 'image_runtype'),
  extra_env: z.unknown().optional(),
  image_args: z.unknown().optional(),
  ...rawTexts('onstart', 'jupyter_token'),
  ...texts('ssh_host', 'public_ipaddr', 'geolocation'),
  ...numbers('ssh_port', 'direct_port_count'),
  ports: portMap,
  ...numbers('start_date', 'end_date', 'duration', 'uptime_mins', 'reliability2'),
  ...texts('gpu_name', 'driver_version'),
  ...numbers('num_gpus', 'gpu_frac', 'gpu_ram', 'gpu_util', 'gpu_temp', 'cuda_max_good'),
  ...numbers('cpu_cores_effective', 'cpu_ram', 'cpu_util', 'mem_usage', 'mem_limit'),
  ...numbers('disk_space', 'disk_usage'),
  ...numbers('dph_base', 'dph_total', 'storage_cost', 'storage_total_cost'),
  ...numbers('inet_up_cost', 'inet_down_cost', 'inet_down'),
  ...numbers('credit_discount', 'credit_discount_max'),
  ...flags('is_bid'),
  volume_info: z.unknown().optional(),
});
export type WireInstance = z.infer<typeof instance>;

/**
 * The v0 and v1 lists (docs/service/instances.md#list). Some answers have null for "none"; it is believed only where the
 * count agrees.
 */
export const instanceList = z
  .looseObject({
    ...numbers('instances_found', 'total_instances'),
    instances: z.array(z.unknown()).nullable(),
  })
  .refine(
    ({ instances, instances_found: found }) => instances !== null || found === 0,
    'null without a count',
  )
  .transform(
    ({ instances, instances_found: found, total_instances: total, next_token: token }): WirePage => ({
      rows: instances ?? [],
      next: nextOf(token),
      total,
      found,
    }),
  );

/** GET instances/{id}: one object, or null once destroyed (docs/service/instances.md#read-one). */
export const oneInstance = z.looseObject({ instances: z.unknown() });

/** GET instances/balance/{id}, in dollars (docs/service/instances.md#deposit). */
export const deposit = z.looseObject(numbers('refundable_deposit', 'total_discount', 'discount_months'));

/** PUT asks/{id}; `new_contract` counts even beside `success: false`. */
export const rentAnswer = z.looseObject({
  ...flags('success'),
  new_contract: id.optional(),
  ...rawTexts('instance_api_key'),
  ...texts('error', 'msg'),
});

/** The body of PUT asks/{id}, without unset fields (docs/service/renting.md#request). */
export interface WireRentRequest {
  readonly template_hash_id?: string;
  readonly image?: string;
  readonly disk?: number;
  readonly label?: string;
  readonly runtype?: string;
  readonly target_state?: 'running' | 'stopped';
  readonly price?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly onstart?: string;
  readonly args_str?: string;
  readonly use_jupyter_lab?: boolean;
  readonly jupyter_dir?: string;
  readonly python_utf8?: boolean;
  readonly lang_utf8?: boolean;
  readonly image_login?: string;
  readonly cancel_unavail?: boolean;
  readonly vm?: boolean;
  readonly volume_info?: {
    readonly create_new: boolean;
    readonly volume_id: number;
    readonly size?: number;
    readonly mount_path: string;
    readonly name?: string;
  };
}

/** `ssh_keys` of GET instances/{id}/ssh is a JSON-encoded text. */
export const instanceKeys = z.looseObject({ ...flags('success'), ssh_keys: z.unknown() });

/** Answers of execute and request_logs (docs/service/commands.md#result-file). */
export const resultPointer = z.looseObject({
  ...flags('success'),
  ...rawTexts('result_url', 'writeable_path'),
  ...texts('msg'),
});

/**
 * PUT instances/{id} with `state: running` where no GPU is free, beside `success: false`
 * (docs/service/instances.md#start).
 */
export const queuedStart = z.looseObject({ error: z.literal('resources_unavailable'), ...texts('msg') });
export const startAnswer = z.union([queuedStart, successAnswer]);
