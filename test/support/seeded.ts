/** A small generator (mulberry32) of numbers from 0 to 1, so that a failing order can be played again. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * The seed of everything random in tests: the same in each run of the gate, so that no run is red for what another
 * change might have found. `npm run test:stress` draws a new one; `GPU_RENTAL_TEST_SEED` plays one again.
 */
export const testSeed = Number(process.env['GPU_RENTAL_TEST_SEED'] ?? 20_261_122);

/** How often something is tried: small in the gate, large in `npm run test:stress`. */
export function sized(inGate: number, inStress: number): number {
  return process.env['GPU_RENTAL_TEST_STRESS'] === '1' ? inStress : inGate;
}
