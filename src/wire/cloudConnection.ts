import * as z from 'zod';
import { id, looseList, texts } from './field';

/** A row of GET users/cloud_integrations (docs/service/commands.md#cloud-connections). */
export const cloudConnection = z.looseObject({ id, ...texts('name', 'cloud_type') });
export type WireCloudConnection = z.infer<typeof cloudConnection>;

/** A bare array to the command-line client; an object with a list is accepted as well. */
export const cloudConnectionList = looseList('cloud_integrations');
