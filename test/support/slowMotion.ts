import type { BrowserContext } from 'playwright-core';
import type { FaultOrder } from '../../src/simulator/faults';

/**
 * `GPU_RENTAL_TEST_SLOW=4` makes the pages of the editor four times as slow, and every answer of the service late,
 * while the tests keep their speed: what waits for too little fails at once, and not on the one run in fifty.
 */
const factor = Number(process.env['GPU_RENTAL_TEST_SLOW'] ?? '1');

/** Slows down each page of a profile, those that it opens by itself too. */
export function slowPages(profile: BrowserContext): void {
  if (factor <= 1) return;
  profile.on('page', (page) => {
    profile
      .newCDPSession(page)
      .then((session) => session.send('Emulation.setCPUThrottlingRate', { rate: factor }))
      .catch((error: unknown) => {
        if (!page.isClosed()) throw error;
      });
  });
}

/** What makes every answer late; none at full speed. */
export function slowAnswers(): readonly FaultOrder[] {
  return factor <= 1 ? [] : [{ kind: 'delay', path: '*', delayMs: 150 * factor, times: 0 }];
}
