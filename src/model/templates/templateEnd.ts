import { defined } from '../../util/defined';
import { parseEnvFlags } from '../documents/envFlags';
import { envText } from '../documents/envObject';
import { leastEnd, longestEnd, type AgreedEnd } from '../rentals/agreedEnd';

/** The variables by which a template shortens the end of its rentals, as `end` of a workspace file does. */
export const endVariables: Readonly<Record<keyof AgreedEnd, string>> = {
  idleMinutes: 'GPU_RENTAL_IDLE_MINUTES',
  destroyAfterDays: 'GPU_RENTAL_DESTROY_AFTER_DAYS',
};

/** Returns the end that the environment of a template asks for, in either form; what can't be used is left out. */
export function endOfTemplate(env: unknown): Partial<AgreedEnd> {
  return defined<Partial<AgreedEnd>>({
    idleMinutes: wishOf(env, 'idleMinutes'),
    destroyAfterDays: wishOf(env, 'destroyAfterDays'),
  });
}

/** Returns the variables whose values are ignored. */
export function ignoredEnds(env: unknown): readonly (keyof AgreedEnd)[] {
  return (['idleMinutes', 'destroyAfterDays'] as const).filter(
    (key) => written(env, key) !== undefined && wishOf(env, key) === undefined,
  );
}

function wishOf(env: unknown, key: keyof AgreedEnd): number | undefined {
  const value = written(env, key) ?? '';
  const number = /^\d{1,6}$/.test(value) ? Number(value) : 0;
  return number >= leastEnd[key] && number <= longestEnd[key] ? number : undefined;
}

/** The last value of a name wins. */
function written(env: unknown, key: keyof AgreedEnd): string | undefined {
  return parseEnvFlags(envText(env)).entries.reduce<string | undefined>(
    (found, { entry }) =>
      entry.kind === 'variable' && entry.name === endVariables[key] ? entry.value : found,
    undefined,
  );
}
