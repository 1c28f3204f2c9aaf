import * as z from 'zod';
import { id, looseString } from './field';

/** A row of GET users/cloud_integrations (docs/service/commands.md#cloud-connections). */
export const cloudConnection = z.looseObject({ id, name: looseString, cloud_type: looseString });
export type WireCloudConnection = z.infer<typeof cloudConnection>;

/** A bare array to the command-line client; an object with a list is accepted as well. */
export const cloudConnectionList = z.union([
  z.array(z.unknown()),
  z.looseObject({ cloud_integrations: z.array(z.unknown()) }),
]);
