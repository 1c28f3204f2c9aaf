import { NotSentError } from '../api/errors';
import { packOnstart } from '../api/onstart';
import type { CarriedEnd } from '../model/rentals/agreedEnd';
import { ownTerminalLine, withGuard } from '../model/rentals/birthGuard';
import type { RentConfig } from '../model/rentals/rent';
import { birthLine } from '../schedules/machine/machineTimer';
import { UnsafeValueError } from '../ssh/validate';
import { fetchSeconds } from './model/jobLimits';

/**
 * Adds a guard to a rental, so that the machine stops by itself after its job. If the user's script leaves no room for
 * it, returns the rental unchanged; the first login then installs the guard.
 */
export function guardedRental(
  config: RentConfig,
  serviceUrl: string,
  { jobSeconds }: Pick<CarriedEnd, 'jobSeconds'> = {},
): RentConfig {
  const { keepsSharedTmux } = config;
  if (jobSeconds === undefined) {
    return config;
  }
  const line = guardLine({ serviceUrl, seconds: jobSeconds });
  const room = (
    line === undefined ? [] : [(keepsSharedTmux === true ? '' : ownTerminalLine) + line, line]
  ).flatMap((lines) => packed(config.onstart, lines) ?? []);
  return room[0] === undefined ? config : { ...config, onstart: room[0] };
}

/** Returns no line for an address that a shell could interpret. */
function guardLine(order: { readonly serviceUrl: string; readonly seconds: number }): string | undefined {
  return unless(UnsafeValueError, () => birthLine({ ...order, fetchSeconds }));
}

/** Returns the user's script with our lines before it, if there is room for both. */
function packed(onstart: string | undefined, lines: string): string | undefined {
  const script = withGuard(onstart, lines);
  return script === undefined ? undefined : unless(NotSentError, () => packOnstart(script));
}

function unless<T>(Refusal: new (...args: never[]) => Error, make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof Refusal) {
      return undefined;
    }
    throw error;
  }
}
