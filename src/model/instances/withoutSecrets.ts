import type { Instance } from './instance';

/** The record as it may leave this process: names of environment variables stay, values do not. */
export function withoutSecrets(instance: Instance): Instance {
  const copy: { -readonly [Key in keyof Instance]: Instance[Key] } = { ...instance };
  delete copy.jupyterToken;
  delete copy.onstart;
  if (copy.env !== undefined) {
    copy.env = copy.env.map(([name]) => [name, ''] as const);
  }
  return copy;
}
