import assert from 'node:assert/strict';
import { isAskedNow, whenAnswered, whileAsked } from '../../../../src/features/security/unasked';
import { settle } from '../../../support/fakeClock';

describe('a question that comes unasked', () => {
  it('is waited for by what it took the place of, however it ends', async () => {
    assert.equal(isAskedNow(), false);
    await whenAnswered();
    for (const fails of [false, true]) {
      let end: () => void = () => undefined;
      const asked = whileAsked(async () => {
        await new Promise<void>((resolve) => {
          end = resolve;
        });
        if (fails) throw new Error('refused');
        return 'a session';
      });
      let isOver = false;
      const waiting = whenAnswered().then(() => {
        isOver = true;
      });
      await settle();
      assert.deepEqual([isAskedNow(), isOver], [true, false]);
      end();
      await (fails ? assert.rejects(asked, /refused/) : asked);
      await waiting;
      assert.deepEqual([isAskedNow(), isOver], [false, true]);
    }
  });
});
