import assert from 'node:assert/strict';
import { usualStay } from '../../../../src/model/quote';
import type { Template } from '../../../../src/model/templates/template';
import { LastRental } from '../../../../src/store/rentals/lastRental';

describe('what is remembered of a rental for all accounts', () => {
  it('names no template, which belongs to one of them', async () => {
    const kept = new Map<string, unknown>([
      ['gpuRental.rent.last', { images: ['old/image'], templates: [{ id: 6, name: 'secret project' }] }],
    ]);
    const memory = new LastRental({
      get: (key) => kept.get(key),
      update: (key, value) => Promise.resolve(void kept.set(key, value)),
    });
    const template = { id: 7, name: 'secret project', hashId: 'abc' } as Template;
    await memory.keep({ source: { kind: 'template', template } });
    assert.equal(memory.templateId, 7);
    assert.deepEqual(memory.images, ['old/image']);
    assert.doesNotMatch(JSON.stringify([...kept]), /secret project/);
    await memory.keep({ source: { kind: 'image', image: 'new/image' } });
    assert.deepEqual([memory.templateId, memory.images], [undefined, ['new/image', 'old/image']]);
  });

  it('has the end that was chosen for an account, until its setting is changed', async () => {
    const kept = new Map<string, unknown>();
    const memory = new LastRental({
      get: (key) => kept.get(key),
      update: (key, value) => Promise.resolve(void kept.set(key, value)),
    });
    const settings = { idleMinutes: 30, destroyAfterDays: 7 };
    assert.deepEqual(memory.end('one', settings), settings);
    await memory.keepEnd('one', { idleMinutes: 0 }, settings);
    await memory.keepEnd('one', { destroyAfterDays: 3 }, settings);
    assert.deepEqual(memory.end('one', settings), { idleMinutes: 0, destroyAfterDays: 3 });
    assert.deepEqual(memory.end('other', settings), settings);
    const changed = { ...settings, idleMinutes: 60 };
    assert.deepEqual(memory.end('one', changed), { idleMinutes: 60, destroyAfterDays: 3 });
    kept.set('gpuRental.rent.end.one', { idleMinutes: 'soon', destroyAfterDays: { value: -1 } });
    assert.deepEqual(memory.end('one', settings), settings);
  });

  it('has the last six images, each once', async () => {
    const kept = new Map<string, unknown>();
    const memory = new LastRental({
      get: (key) => kept.get(key),
      update: (key, value) => Promise.resolve(void kept.set(key, value)),
    });
    for (const image of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'd']) {
      await memory.keep({ source: { kind: 'image', image }, diskGb: 20 });
    }
    assert.deepEqual([memory.images, memory.diskGb], [['d', 'g', 'f', 'e', 'c', 'b'], 20]);
  });

  it('has the stay that estimates are for, and the usual one where another version kept something else', async () => {
    const kept = new Map<string, unknown>();
    const memory = new LastRental({
      get: (key) => kept.get(key),
      update: (key, value) => Promise.resolve(void kept.set(key, value)),
    });
    assert.deepEqual(memory.stay, usualStay);
    const stay = { hours: 3, downGb: 10, upGb: 1 };
    await memory.keepStay(stay);
    assert.deepEqual(memory.stay, stay);
    for (const key of kept.keys()) {
      kept.set(key, { hours: 'three' });
    }
    assert.deepEqual(memory.stay, usualStay);
  });
});
