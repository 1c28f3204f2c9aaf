import * as z from 'zod';
import { flags, id, looseList, numbers, rawTexts, successAnswer, texts } from './field';

/** See docs/service/deployments.md#record. `env` and the keys may be secret. */
export const deployment = z.looseObject({
  id,
  ...texts('name', 'tag', 'image', 'endpoint_state'),
  ...rawTexts('env'),
  ...numbers('endpoint_id', 'worker_count', 'current_version_id', 'last_healthy_version_id', 'storage'),
  ...numbers('last_client_heartbeat', 'created_at', 'updated_at'),
});
export type WireDeployment = z.infer<typeof deployment>;

/** GET deployments: the public material shows no envelope, so a bare array is taken too. */
export const deploymentList = looseList('deployments', 'results');

export const oneDeployment = z.looseObject({ ...flags('success'), deployment: z.unknown() });

/** POST stop and start; `endpoint_state` is `stopped` or `active`. */
export const endpointStateAnswer = successAnswer.extend(texts('endpoint_state'));
