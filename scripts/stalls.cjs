/**
 * For mocha: where `GPU_RENTAL_TEST_STALLS` is set to a seed, the process stands still for some milliseconds now and
 * then, as on a busy computer. Timers are then due before what comes first on an idle one. Timers of the same length
 * still run in their order, which Node promises.
 */
'use strict';
const { promisify } = require('node:util');

const seed = process.env['GPU_RENTAL_TEST_STALLS'];
const share = 0.05;

if (seed !== undefined) {
  const { seeded } = require('../test/support/seeded');
  const random = seeded(Number(seed));
  const { setTimeout, setImmediate } = globalThis;

  const stall = () => {
    if (random() >= share) return;
    // A timer without a delay is due after one millisecond.
    const end = performance.now() + 1.1 + 3 * random();
    while (performance.now() < end);
  };

  const stalling = (schedule) => {
    const scheduled = (run, ...more) => {
      stall();
      return schedule(
        (...given) => {
          run(...given);
          stall();
        },
        ...more,
      );
    };
    return Object.assign(scheduled, { [promisify.custom]: schedule[promisify.custom] });
  };

  Object.assign(globalThis, {
    setTimeout: stalling(setTimeout),
    setImmediate: stalling(setImmediate),
  });
}
