import * as z from 'zod';
import { id, listUnder, looseBoolean, looseNumber, looseString, rawString, successAnswer } from './field';

/** See docs/service/deployments.md#record. `env` and the keys may be secret. */
export const deployment = z.looseObject({
  id,
  name: looseString,
  tag: looseString,
  image: looseString,
  endpoint_id: looseNumber,
  endpoint_state: looseString,
  worker_count: looseNumber,
  env: rawString,
  search_params: z.unknown().optional(),
  current_version_id: looseNumber,
  last_healthy_version_id: looseNumber,
  storage: looseNumber,
  ttl: looseNumber,
  last_client_heartbeat: looseNumber,
  created_at: looseNumber,
  updated_at: looseNumber,
});
export type WireDeployment = z.infer<typeof deployment>;

/** GET deployments: the public material shows no envelope, so a bare array is taken too. */
export const deploymentList = listUnder('deployments', 'results');

export const oneDeployment = z.looseObject({ success: looseBoolean, deployment: z.unknown() });

/** POST stop and start; `endpoint_state` is `stopped` or `active`. */
export const endpointStateAnswer = successAnswer.extend({ endpoint_state: looseString });
