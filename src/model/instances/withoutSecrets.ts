import type { Instance } from './instance';

/** Returns a copy that may leave this process: it has the names of environment variables but not their values. */
export function withoutSecrets(instance: Instance): Instance {
  const copy: { -readonly [Key in keyof Instance]: Instance[Key] } = { ...instance };
  delete copy.jupyterToken;
  delete copy.onstart;
  delete copy.args;
  if (copy.env !== undefined) {
    copy.env = copy.env.map(([name]) => [name, ''] as const);
  }
  return copy;
}
