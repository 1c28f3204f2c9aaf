import assert from 'node:assert/strict';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { Claims } from '../../../../src/store/windows/claims';
import { settle } from '../../../support/fakeClock';
import { until } from '../../../support/until';
import { useFolder } from '../../../support/useFolder';

describe('what happens once over all windows', () => {
  let folder = '';

  useFolder((made) => void (folder = made));

  it('is remembered for more than a year, and not for ever', async () => {
    const first = new Claims(folder);
    assert.ok(await first.claim('old'));
    const [old = ''] = await readdir(folder);
    assert.ok(await first.claim('recent'));
    const day = 24 * 3_600_000;
    const age = (days: number) => new Date(Date.now() - days * day);
    await utimes(join(folder, old), age(401), age(401));
    const [recent = ''] = (await readdir(folder)).filter((name) => name !== old);
    await utimes(join(folder, recent), age(399), age(399));
    const next = new Claims(folder);
    assert.ok(await next.claim('new'));
    await until('the old mark is swept', async () => !(await readdir(folder)).includes(old), { everyMs: 2 });
    assert.equal((await readdir(folder)).length, 2);
    assert.equal(await next.claim('recent'), false);
    assert.equal(await next.claim('new'), false);
  });

  it('is forgotten after 400 days to the millisecond', async () => {
    const keptMs = 400 * 24 * 60 * 60 * 1000;
    const madeAt = Date.UTC(2026, 0, 1);
    for (const [ageMs, isKept] of [
      [keptMs, true],
      [keptMs + 1, false],
    ] as const) {
      const claims = new Claims(join(folder, String(ageMs)), () => madeAt + ageMs);
      await new Claims(join(folder, String(ageMs)), () => 0).claim('old');
      const [old = ''] = await readdir(join(folder, String(ageMs)));
      await utimes(join(folder, String(ageMs), old), madeAt / 1000, madeAt / 1000);
      await claims.claim('new');
      const names = () => readdir(join(folder, String(ageMs)));
      if (isKept) {
        await settle();
      } else {
        await until('it is swept', async () => !(await names()).includes(old), { everyMs: 2 });
      }
      assert.equal((await names()).includes(old), isKept);
    }
  });
});
