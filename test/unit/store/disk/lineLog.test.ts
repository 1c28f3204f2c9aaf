import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FileUnreadableError } from '../../../../src/store/disk/jsonFile';
import { LineLog } from '../../../../src/store/disk/lineLog';
import { systemClock } from '../../../../src/util/clock';
import { silentLog } from '../../../../src/util/log';
import { useFolder } from '../../../support/useFolder';

describe('a log of lines on disk', () => {
  let file = '';
  useFolder((folder) => void (file = join(folder, 'account', 'actions.log')));
  const open = (maxBytes = 1000) => new LineLog(file, { maxBytes, clock: systemClock, log: silentLog });

  it('has whole lines of several windows that write at once', async () => {
    const windows = [open(1e6), open(1e6), open(1e6)];
    await Promise.all(
      windows.flatMap((window, index) =>
        Array.from({ length: 30 }, (_, line) =>
          window.add({ index: line * 3 + index, text: 'x'.repeat(line * 15) }),
        ),
      ),
    );
    const lines = (await open().read()).trim().split('\n');
    const found = lines.map((line) => (JSON.parse(line) as { index: number }).index);
    assert.deepEqual(
      found.sort((a, b) => a - b),
      Array.from({ length: 90 }, (_, index) => index),
    );
    assert.equal((await stat(file)).mode & 0o777, 0o600);
  });

  it('keeps the older file where two windows find it full at the same moment', async () => {
    await open().add({ first: 1 });
    for (let turn = 0; turn < 5; turn += 1) {
      await writeFile(file, `${JSON.stringify({ turn, filled: 'x'.repeat(1000) })}\n`);
      await Promise.all([open().add({ a: turn }), open().add({ b: turn })]);
      assert.match(await readFile(`${file}.old`, 'utf8'), new RegExp(`^\\{"turn":${turn},`));
      assert.equal((await readFile(file, 'utf8')).trim().split('\n').length, 2);
    }
  });

  it('is empty before the first entry, and names the reason where the disk refuses', async () => {
    assert.equal(await open().read(), '');
    await open().add({ first: 1 });
    const inFile = new LineLog(join(file, 'no'), { maxBytes: 10, clock: systemClock, log: silentLog });
    await inFile.add({ lost: 1 });
    await assert.rejects(inFile.read(), FileUnreadableError);
  });
});
