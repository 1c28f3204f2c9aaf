import * as z from 'zod';
import { text, type Text } from '../../util/text';
import { volumeNameShape } from '../volume';

/** Names of files and folders that mean nothing to a shell, without a step up. */
const targetShape = /^(?!(?:.*\/)?\.\.?(?:\/|$))(?!-)[\w.+@-]{1,100}(?:\/[\w.+@-]{1,100}){0,9}$/;

/** Data that the machine itself fetches, as the workspace file names it. */
export const dataItem = z.object({
  from: z
    .string()
    .min(1)
    .max(2000)
    .meta({
      description:
        'Where it is: `hf://org/name@revision`, `hf://datasets/org/name@revision`, `https://…#sha256=…` or `connection:<name>/path`.',
      examples: ['hf://org/name@main'],
    }),
  to: z
    .string()
    .regex(targetShape)
    .meta({
      description: 'File or folder for it, below the folder of the machine or the volume.',
      examples: ['data/x'],
    }),
  volume: z
    .string()
    .regex(volumeNameShape)
    .optional()
    .meta({ description: 'Name of one of `volumes`, on which it is kept.' }),
  include: z
    .array(z.string().regex(/^(?!-)[\w.*?[\]/+@-]{1,200}$/))
    .max(50)
    .optional()
    .meta({ description: 'Patterns of the files to fetch of a model or data set.' }),
  secret: z
    .string()
    .regex(/^[A-Za-z_]\w{0,99}$/)
    .optional()
    .meta({
      description: 'Name of a secret with the token for a gated model or data set. You are asked for it.',
    }),
});
export type DataItem = z.infer<typeof dataItem>;

export type DataSource =
  | { readonly kind: 'https'; readonly address: string; readonly sha256: string }
  | {
      readonly kind: 'hub';
      readonly type: 'models' | 'datasets';
      readonly name: string;
      readonly revision: string;
    }
  | { readonly kind: 'connection'; readonly name: string; readonly path: string };

/** Reads where data comes from, or returns why the machine can't fetch it. */
export function readSource(from: string): DataSource | Text {
  if (from.startsWith('s3://')) {
    return text(
      'A machine has no keys for "s3://". Write a presigned https address with #sha256=…, or connection:<name>/path.',
    );
  }
  const hub = /^hf:\/\/(datasets\/)?(\w[\w.-]{0,95}\/\w[\w.-]{0,95})(?:@(\w[\w.-]{0,99}))?$/.exec(from);
  if (hub) {
    const [, dataset, name = '', revision = 'main'] = hub;
    return { kind: 'hub', type: dataset === undefined ? 'models' : 'datasets', name, revision };
  }
  const https = /^(https:\/\/[\w.-]+(?::\d{1,5})?\/[\w.~!$&*+,;=:@%/?()-]*)#sha256=([0-9a-f]{64})$/i.exec(
    from,
  );
  if (https) {
    const [, address = '', sha256 = ''] = https;
    return { kind: 'https', address, sha256: sha256.toLowerCase() };
  }
  if (from.startsWith('https://')) {
    return text('End the address with #sha256= and 64 digits, so that the file can be checked.');
  }
  const [, name, path] = /^connection:([^/\p{Cc}]{1,100})(\/[^\p{Cc}]{1,500})$/u.exec(from) ?? [];
  return name !== undefined && path !== undefined
    ? { kind: 'connection', name, path }
    : text('Write hf://org/name@revision, https://…#sha256=… or connection:<name>/path.');
}
