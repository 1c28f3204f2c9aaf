import assert from 'node:assert/strict';
import { GpuNames } from '../../../../src/store/offers/gpuNames';
import { FakeClock } from '../../../support/fakeClock';

const dayMs = 24 * 3_600_000;

describe('the names of GPUs', () => {
  function scene(answer: () => Promise<readonly string[]>) {
    const values = new Map<string, unknown>();
    const clock = new FakeClock();
    let asked = 0;
    const offers = {
      gpuNames: async () => {
        asked += 1;
        return { items: await answer(), skipped: 0 };
      },
    };
    const memory = {
      get: (key: string) => values.get(key),
      update: (key: string, value: unknown) => {
        values.set(key, value);
        return Promise.resolve();
      },
    };
    const open = () => new GpuNames({ memory, clock, log: { info: () => undefined } });
    return { open, offers, clock, values, asked: () => asked };
  }

  it('are asked for once a day over all windows, and nothing before that', async () => {
    const { open, offers, clock, asked } = scene(() => Promise.resolve(['RTX 4090', 'RTX 4090', 'B400']));
    const names = open();
    assert.deepEqual([names.names, asked()], [[], 0]);
    await Promise.all([names.refresh(offers), names.refresh(offers)]);
    assert.deepEqual([names.names, asked()], [['RTX 4090', 'B400'], 1]);
    await open().refresh(offers);
    assert.equal(asked(), 1);
    clock.jump(dayMs + 1);
    await open().refresh(offers);
    assert.equal(asked(), 2);
    // A clock that was set back makes no list fresh for ever.
    clock.jump(-3 * dayMs);
    await open().refresh(offers);
    assert.equal(asked(), 3);
  });

  it('stay as they were where the service fails or lists none', async () => {
    let answer: () => Promise<readonly string[]> = () => Promise.resolve(['B400']);
    const { open, offers, clock } = scene(() => answer());
    await open().refresh(offers);
    for (const next of [() => Promise.reject(new Error('down')), () => Promise.resolve([])]) {
      answer = next;
      clock.jump(dayMs + 1);
      await open().refresh(offers);
      assert.deepEqual(open().names, ['B400']);
    }
  });

  it('are plain words, also where the memory holds something else', async () => {
    const hostile = ['$(rm)', 'a\nb', '<b>', 'x'.repeat(100), '', 'RTX 5090', '\u202eRTX'];
    const { open, offers, values } = scene(() => Promise.resolve(hostile));
    await open().refresh(offers);
    assert.deepEqual(open().names, ['RTX 5090']);
    for (const odd of [null, 7, { names: 'x' }, { at: 'now', names: [1] }]) {
      values.set('gpuRental.search.gpuNames', odd);
      assert.deepEqual(open().names, []);
    }
  });
});
