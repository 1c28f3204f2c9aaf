import * as z from 'zod';
import { successAnswer, id, looseBoolean, looseNumber, looseString, rawString } from './field';

/** Docker's port map: `{"22/tcp":[{"HostIp":"0.0.0.0","HostPort":"40122"}]}`. */
const portMap = z
  .record(
    z.string(),
    z
      .array(z.looseObject({ HostIp: looseString, HostPort: looseNumber }))
      .nullish()
      .catch(undefined),
  )
  .nullish()
  .catch(undefined);

/** A row of the lists, or the single answer (docs/service/instances.md#record). */
export const instance = z.looseObject({
  id,
  machine_id: looseNumber,
  host_id: looseNumber,
  label: rawString,
  actual_status: z.string().nullish().catch(undefined),
  cur_state: looseString,
  next_state: looseString,
  intended_status: looseString,
  status_msg: looseString,
  template_id: looseNumber,
  template_hash_id: looseString,
  template_name: looseString,
  image_uuid: looseString,
  image_runtype: looseString,
  extra_env: z.unknown().optional(),
  onstart: rawString,
  jupyter_token: rawString,
  ssh_host: looseString,
  ssh_port: looseNumber,
  public_ipaddr: looseString,
  ports: portMap,
  direct_port_count: looseNumber,
  start_date: looseNumber,
  end_date: looseNumber,
  duration: looseNumber,
  uptime_mins: looseNumber,
  num_gpus: looseNumber,
  gpu_name: looseString,
  gpu_ram: looseNumber,
  gpu_util: looseNumber,
  gpu_temp: looseNumber,
  cpu_cores_effective: looseNumber,
  cpu_ram: looseNumber,
  cpu_util: looseNumber,
  mem_usage: looseNumber,
  mem_limit: looseNumber,
  disk_space: looseNumber,
  disk_usage: looseNumber,
  disk_util: looseNumber,
  dph_base: looseNumber,
  dph_total: looseNumber,
  min_bid: looseNumber,
  is_bid: looseBoolean,
  storage_cost: looseNumber,
  storage_total_cost: looseNumber,
  inet_up_cost: looseNumber,
  inet_down_cost: looseNumber,
  reliability2: looseNumber,
  geolocation: looseString,
  cuda_max_good: looseNumber,
  driver_version: looseString,
  volume_info: z.unknown().optional(),
});
export type WireInstance = z.infer<typeof instance>;

/** The v0 and v1 lists (docs/service/instances.md#list). */
export const instanceList = z.looseObject({
  instances_found: looseNumber,
  total_instances: looseNumber,
  instances: z.array(z.unknown()).nullable(),
  next_token: z.string().nullish().catch(undefined),
});

/** GET instances/{id}: one object, or null once destroyed (docs/service/instances.md#read-one). */
export const oneInstance = z.looseObject({ instances: z.unknown() });

/** PUT asks/{id}; `new_contract` counts even beside `success: false`. */
export const rentAnswer = z.looseObject({
  success: looseBoolean,
  new_contract: id.optional(),
  instance_api_key: rawString,
  error: looseString,
  msg: looseString,
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
  };
}

/** `ssh_keys` of GET instances/{id}/ssh is a JSON-encoded text. */
export const instanceKeys = z.looseObject({ success: looseBoolean, ssh_keys: z.unknown() });

/** Answers of execute and request_logs (docs/service/commands.md#result-file). */
export const resultPointer = z.looseObject({
  success: looseBoolean,
  result_url: rawString,
  writeable_path: rawString,
  msg: looseString,
});

/**
 * PUT instances/{id} with `state: running` where no GPU is free, beside `success: false`
 * (docs/service/instances.md#start).
 */
export const queuedStart = z.looseObject({ error: z.literal('resources_unavailable'), msg: looseString });
export const startAnswer = z.union([queuedStart, successAnswer]);
