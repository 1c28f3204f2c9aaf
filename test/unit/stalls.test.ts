import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const scripts = join(__dirname, '..', '..', 'scripts');

/** Sets two timers of no length and what comes before them on an idle computer, many times. */
const program = `
const rounds = 100;
const orders = new Set();
const round = () => new Promise((resolve) => {
  const came = [];
  const over = (name) => { came.push(name); if (came.length === 3) resolve(came); };
  setImmediate(() => {
    setTimeout(over, 0, 'first');
    setTimeout(over, 0, 'second');
    setImmediate(over, 'immediate');
  });
});
(async () => {
  for (let count = 0; count < rounds; count += 1) orders.add((await round()).join(' '));
  console.log(JSON.stringify([...orders].sort()));
})();
`;

/** Reads the same file twice at once, many times. */
const reader = `
const { readFile } = require('node:fs/promises');
const orders = new Set();
(async () => {
  for (let count = 0; count < 100; count += 1) {
    const came = [];
    const read = (name) => readFile(process.execPath + '.none').catch(() => undefined).then(() => came.push(name));
    await Promise.all([read('first'), read('second')]);
    orders.add(came.join(' '));
  }
  console.log(JSON.stringify([...orders].sort()));
})();
`;

/** The orders in which something came, in a process that stands still now and then. */
function ordersOf(code: string) {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...['--require', join(scripts, 'sources.cjs'), '--require', join(scripts, 'stalls.cjs')],
      ...['--eval', code],
    ],
    { env: { ...process.env, GPU_RENTAL_TEST_STALLS: '1' }, encoding: 'utf8', timeout: 60_000 },
  );
  return { orders: JSON.parse(stdout || '[]') as string[], stderr };
}

describe('A process that stalls now and then', () => {
  it('has the disk answer some requests later than those that follow', () => {
    const { orders, stderr } = ordersOf(reader);
    assert.deepEqual(orders, ['first second', 'second first'], stderr);
  });

  it('runs timers before what is first on an idle computer, and keeps their order', () => {
    const { orders, stderr } = ordersOf(program);
    assert.ok(orders.includes('first second immediate'), stderr);
    assert.ok(orders.includes('immediate first second'));
    assert.deepEqual(
      orders.filter((order) => order.indexOf('second') < order.indexOf('first')),
      [],
    );
  });
});
