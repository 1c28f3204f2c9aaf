'use strict';
// Processor time of the thread and not time of the clock: what else the machine does must not count.
const { appendFileSync } = require('node:fs');
const { threadCpuUsage } = process;

const fromMs = 5;

/** Writes a line `<unix ms> <busy ms>` for each stretch of work that is longer than `fromMs`. */
exports.activate = (context) => {
  const file = process.env.GPU_RENTAL_LOOP_WATCH;
  if (file === undefined || threadCpuUsage === undefined) return;
  const busy = () => {
    const { user, system } = threadCpuUsage.call(process);
    return (user + system) / 1000;
  };
  let before = busy();
  const timer = setInterval(() => {
    const now = busy();
    if (now - before >= fromMs) appendFileSync(file, `${Date.now()} ${(now - before).toFixed(1)}\n`);
    before = busy();
  }, 1);
  context.subscriptions.push({ dispose: () => clearInterval(timer) });
};
