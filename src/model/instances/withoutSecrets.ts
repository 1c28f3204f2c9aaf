import type { Instance } from './instance';

/** Returns a copy that may leave this process: it has the names of environment variables but not their values. */
export function withoutSecrets(instance: Instance): Instance {
  // Not copied and then deleted: that makes an object slow for all who read it afterwards.
  const { jupyterToken, onstart, args, ...rest } = instance;
  return rest.env === undefined ? rest : { ...rest, env: rest.env.map(([name]) => [name, ''] as const) };
}
