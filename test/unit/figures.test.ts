import assert from 'node:assert/strict';
import { timed } from '../bench/figure';
import { bestOf, isKept } from '../bench/kept';

describe('A figure that is kept', () => {
  const kept = { rows: 10 };
  const rows = (ratio: number) => [timed('rows', ratio * 5, 5)];

  it('may be twice what it was, and no more', () => {
    assert.deepEqual(
      [9, 20, 20.1].map((ratio) => rows(ratio).every((figure) => isKept(figure, kept))),
      [true, true, false],
    );
  });

  it('fails where nothing is kept to compare it with', () => {
    assert.equal(isKept({ name: 'new', value: '1 ms', ratio: 1 }, kept), false);
    assert.equal(isKept({ name: 'new', value: '2 requests' }, kept), true);
  });

  it('is the best of three, and measured once where that suffices', async () => {
    const measured = async (...ratios: readonly number[]) => {
      let times = 0;
      const [best] = await bestOf(3, () => rows(ratios[times++] ?? 99), kept);
      return { times, ratio: best?.ratio };
    };
    assert.deepEqual(await measured(15), { times: 1, ratio: 15 });
    assert.deepEqual(await measured(30, 25, 19), { times: 3, ratio: 19 });
    assert.deepEqual(await measured(30, 25, 40), { times: 3, ratio: 25 });
  });
});
