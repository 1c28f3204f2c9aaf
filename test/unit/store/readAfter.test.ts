import assert from 'node:assert/strict';
import { ForbiddenError, NotFoundError, TimedOutError } from '../../../src/api/errors';
import { readAfter } from '../../../src/store/readAfter';
import { isUnlisted, listOrNone } from '../../../src/store/unlisted';

const failing = (error: Error) => Promise.reject(error);

describe('What shows a change', () => {
  let reads: number;
  beforeEach(() => {
    reads = 0;
  });
  const read = () => {
    reads += 1;
    return Promise.resolve();
  };

  it('is read once it was made, and not where nothing was changed', async () => {
    assert.equal(await readAfter(Promise.resolve('made'), read), 'made');
    assert.equal(reads, 1);
    await readAfter(Promise.resolve(), read);
    assert.equal(reads, 2);
    assert.equal(await readAfter(Promise.resolve(false), read), false);
    assert.equal(reads, 2);
  });

  for (const [what, error, expected] of [
    ['lost', new TimedOutError(), 1],
    ['lost, as a feature tells it', new Error('Check the list', { cause: new TimedOutError() }), 1],
    ['a refusal', new ForbiddenError(), 0],
    ['a refusal, as a feature tells it', new Error('No', { cause: new ForbiddenError() }), 0],
  ] as const) {
    it(`is read ${expected === 1 ? 'once' : 'never'} if the answer is ${what}`, async () => {
      await assert.rejects(readAfter(failing(error), read), error);
      assert.equal(reads, expected);
    });
  }

  it('does not turn a change into a failure', async () => {
    assert.equal(await readAfter(Promise.resolve('made'), () => failing(new Error('down'))), 'made');
    const lost = new TimedOutError();
    await assert.rejects(
      readAfter(failing(lost), () => failing(new Error('down'))),
      lost,
    );
  });
});

describe('A list that a key may not read', () => {
  it('is none, and any other failure is thrown', async () => {
    assert.deepEqual(await listOrNone(Promise.resolve([1])), [1]);
    for (const error of [new ForbiddenError(), new NotFoundError()]) {
      const list: unknown = await listOrNone<unknown>(failing(error));
      assert.equal(list, undefined);
      assert.ok(isUnlisted(error));
    }
    const down = new TimedOutError();
    await assert.rejects(listOrNone(failing(down)), down);
    assert.ok(!isUnlisted(down));
  });
});
