import assert from 'node:assert/strict';
import { comeBack, isAskedNow, whenAnswered, whileAsked } from '../../../src/editor/unasked';
import { Emitter } from '../../../src/util/emitter';
import { settle } from '../../support/fakeClock';

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

  describe('and takes the place of another one', () => {
    let hidden: Emitter<undefined>;
    let told: string[];

    const open = () => {
      hidden = new Emitter();
      told = [];
      return comeBack(
        { onDidHide: hidden.event, show: () => told.push('shown') },
        {
          ended: () => told.push('ended'),
          covered: () => told.push('covered'),
          shownAgain: () => told.push('shown again'),
        },
      );
    };
    /** Asks until the function that it gives back is called. */
    const ask = () => {
      let end: () => void = () => undefined;
      void whileAsked(() => new Promise<void>((resolve) => (end = resolve)));
      return () => {
        end();
        return settle();
      };
    };

    it('gives it back', async () => {
      open();
      const answer = ask();
      hidden.fire(undefined);
      await settle();
      assert.deepEqual(told, ['covered']);
      await answer();
      assert.deepEqual(told, ['covered', 'shown', 'shown again']);
      hidden.fire(undefined);
      assert.equal(told.at(-1), 'ended');
    });

    it('does not bring back what has ended meanwhile', async () => {
      const subscription = open();
      const answer = ask();
      hidden.fire(undefined);
      subscription.dispose();
      await answer();
      assert.deepEqual(told, ['covered']);
    });

    it('ends by itself when it is closed', async () => {
      const answer = ask();
      open();
      hidden.fire(undefined);
      assert.deepEqual(told, ['ended']);
      await answer();
    });
  });
});
