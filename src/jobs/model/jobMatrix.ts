import type { JobSpec } from './jobSpec';

export const mostVariants = 64;

/** Values become part of names and folders. */
export const matrixValueShape = /^[A-Za-z0-9+_-][A-Za-z0-9.+_-]{0,39}$/;

export type Matrix = Readonly<Record<string, readonly string[]>>;

/** Returns the number of jobs in a matrix. */
export function countOf(matrix: Matrix): number {
  return Object.values(matrix).reduce((count, values) => count * values.length, 1);
}

/**
 * Returns one job for each combination of the matrix, the last name changing fastest, or the job itself without a
 * matrix. Each gets its values as environment variables and an equal share of the cost limit, so that all together stay
 * within it even without an editor.
 */
export function variantsOf(spec: JobSpec): readonly JobSpec[] {
  const { matrix, ...single } = spec;
  if (!matrix) {
    return [spec];
  }
  const costDollars = spec.costDollars / countOf(matrix);
  return combinations(matrix).map((values) => {
    const label = Object.entries(values).map(([name, value]) => `${name}=${value}`);
    return {
      ...single,
      name: [spec.name, ...label].join(' '),
      nameInFile: spec.name,
      ...(spec.outputsTo === undefined ? {} : { outputsTo: `${spec.outputsTo}/${label.join(' ')}` }),
      env: { ...spec.env, ...values },
      costDollars,
    };
  });
}

function combinations(matrix: Matrix): readonly Readonly<Record<string, string>>[] {
  return Object.entries(matrix).reduce<readonly Readonly<Record<string, string>>[]>(
    (found, [name, values]) => found.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  );
}
