/**
 * For mocha: where `GPU_RENTAL_TEST_STALLS` is set to a seed, the process stands still for some milliseconds now and
 * then, as on a busy computer. Timers are then due before what comes first on an idle one. Timers of the same length
 * still run in their order, which Node promises. And the disk answers some requests later than others that were made
 * after them, which Node and a network disk may do at any time.
 */
'use strict';
const files = require('node:fs/promises');
const { promisify } = require('node:util');

const seed = process.env['GPU_RENTAL_TEST_STALLS'];
const share = 0.05;
const lateShare = 0.2;
/** The requests whose answers may come late. */
const requests = [
  'readFile',
  'readdir',
  'stat',
  'lstat',
  'mkdir',
  'rename',
  'link',
  'rm',
  'unlink',
  'writeFile',
];

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

  const { stat } = files;
  const late =
    (request) =>
    async (...given) => {
      try {
        return await request.apply(files, given);
      } finally {
        // The disk stays busy, by which tests know that something is under way.
        const turns = random() < lateShare ? 1 + Math.floor(12 * random()) : 0;
        for (let turn = 0; turn < turns; turn += 1) await stat(__filename);
      }
    };
  for (const name of requests) files[name] = late(files[name]);
}
