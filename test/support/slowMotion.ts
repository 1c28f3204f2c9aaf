import type { BrowserContext } from 'playwright-core';
import type { Faults } from '../../src/simulator/faults';

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

/** Makes every answer late, also once a test has ended the faults that it ordered itself. */
export function slowAnswers({ faults }: { readonly faults: Faults }): void {
  if (factor <= 1) return;
  const order = { kind: 'delay', path: '*', delayMs: 150 * factor, times: 0 } as const;
  const clear = faults.clear.bind(faults);
  faults.clear = (id) => {
    clear(id);
    if (id === undefined) faults.add(order);
  };
  faults.add(order);
}
