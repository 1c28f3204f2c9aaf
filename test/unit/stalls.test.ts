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

describe('A process that stands still now and then', () => {
  it('runs timers before what comes first on an idle computer, and keeps their order', () => {
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [
        '--require',
        join(scripts, 'sources.cjs'),
        '--require',
        join(scripts, 'stalls.cjs'),
        '--eval',
        program,
      ],
      { env: { ...process.env, GPU_RENTAL_TEST_STALLS: '1' }, encoding: 'utf8', timeout: 60_000 },
    );
    const orders = JSON.parse(stdout || '[]') as string[];
    assert.ok(orders.includes('first second immediate'), stderr);
    assert.ok(orders.includes('immediate first second'));
    assert.deepEqual(
      orders.filter((order) => order.indexOf('second') < order.indexOf('first')),
      [],
    );
  });
});
