import type { Instance } from './instance';

/** Returns the record as it may leave this process: it has the names of environment variables but not their values. */
export function withoutSecrets(instance: Instance): Instance {
  if (!hasSecrets(instance)) {
    return instance;
  }
  const { jupyterToken, onstart, args, ...rest } = instance;
  return rest.env === undefined ? rest : { ...rest, env: rest.env.map(([name]) => [name, ''] as const) };
}

/** The records of a list have none. Copying a thousand would take longer than all their other uses. */
function hasSecrets({ jupyterToken, onstart, args, env = [] }: Instance): boolean {
  return (
    [jupyterToken, onstart, args].some((one) => one !== undefined) || env.some(([, value]) => value !== '')
  );
}
