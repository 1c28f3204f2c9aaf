import assert from 'node:assert/strict';
import { showOnce } from '../../../src/editor/showOnce';
import { setWindowParts } from '../../../src/editor/windowParts';
import { UserError } from '../../../src/util/errors';
import { text } from '../../../src/util/text';
import { OnQuick } from '../../support/onQuick';
import { useScreen } from '../../support/onScreen';

describe('A value that is shown once', () => {
  const quick = new OnQuick(useScreen());

  it('stays shown where it could not be kept', async () => {
    let tries = 0;
    const reported: unknown[] = [];
    setWindowParts({ report: (error) => reported.push(error) });
    const shown = showOnce({
      title: 'Once',
      placeholder: 'Store it',
      lines: ['value'],
      fileName: 'value.txt',
      keep: () => {
        tries += 1;
        return tries === 1 ? Promise.reject(new UserError(text('failed'))) : Promise.resolve('NAME');
      },
      closeQuestion: 'Close?',
      closeDetail: 'Gone.',
    });
    await quick.pick('Keep It on This Computer');
    await quick.pick('Keep It on This Computer');
    await shown;
    assert.deepEqual([tries, reported.length], [2, 1]);
  });
});
