import { createHash } from 'node:crypto';
import { closeSync, ftruncateSync, mkdirSync, openSync, renameSync, existsSync } from 'node:fs';
import path from 'node:path';
import type { EngineOptions } from './engineArguments';

/** The file of a model in the cache of an engine: it has a size, and takes no room on the disk. */
export interface Weights {
  readonly bytes: number;
  /** Lets the file grow to a share of its size, unless it is there. */
  grow(share: number): void;
  complete(): void;
}

export function weightsOf({ engine, model, cacheFolder }: EngineOptions): Weights {
  const bytes = bytesOf(model);
  const file =
    engine === 'vllm'
      ? path.join(
          cacheFolder,
          'hub',
          `models--${model.replaceAll('/', '--')}`,
          'blobs',
          createHash('sha256').update(model).digest('hex'),
        )
      : path.join(cacheFolder, `${model.replaceAll(/[/:]/g, '_')}.gguf`);
  const partial = `${file}.${engine === 'vllm' ? 'incomplete' : 'downloadInProgress'}`;
  return {
    bytes,
    grow: (share) => {
      if (!existsSync(file)) {
        mkdirSync(path.dirname(file), { recursive: true });
        const handle = openSync(partial, 'a');
        ftruncateSync(handle, Math.round(bytes * share));
        closeSync(handle);
      }
    },
    complete: () => {
      if (existsSync(partial)) {
        renameSync(partial, file);
      }
    },
  };
}

/** About as many as a model of that name has: from its parameters and the form of its numbers. */
function bytesOf(model: string): number {
  const billions = Number(/(?:^|[-_])(\d{1,4}(?:\.\d{1,2})?)b(?![a-z])/i.exec(model)?.[1] ?? 8);
  const bytesEach = /fp8/i.test(model) ? 1.1 : /awq|int4|gptq|gguf|q4|gpt-oss/i.test(model) ? 0.6 : 2.05;
  return Math.round(billions * bytesEach * 1e9);
}
