import { NotSentError } from '../api/errors';
import { packOnstart } from '../api/onstart';
import { withGuard } from '../model/rentals/birthGuard';
import type { RentConfig } from '../model/rentals/rent';
import { birthLine } from '../schedules/machine/machineTimer';
import { UnsafeValueError } from '../ssh/validate';
import { fetchSeconds } from './model/jobLimits';

/**
 * Adds a guard to a rental, so that the machine stops by itself after its job. If the user's script leaves no room for
 * it, returns the rental unchanged; the first login then installs the guard.
 */
export function guardedRental(config: RentConfig, serviceUrl: string): RentConfig {
  const { guardSeconds } = config;
  if (guardSeconds === undefined) {
    return config;
  }
  try {
    const line = birthLine({ serviceUrl, seconds: guardSeconds, fetchSeconds });
    const onstart = packOnstart(withGuard(config.onstart, line) ?? '');
    return onstart === '' ? config : { ...config, onstart };
  } catch (error) {
    if (error instanceof NotSentError || error instanceof UnsafeValueError) {
      return config;
    }
    throw error;
  }
}
