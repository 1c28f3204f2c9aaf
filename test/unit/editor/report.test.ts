import assert from 'node:assert/strict';
import { Report } from '../../../src/editor/report';
import { silentLog } from '../../../src/util/log';
import { ahead, settle } from '../../support/fakeClock';
import type { Messages } from '../../support/fakeEditor/messages';
import { openScreen } from '../../support/onScreen';

describe('a problem that is reported', () => {
  let messages: Messages;
  let shownLogs: number;
  let report: Report;

  beforeEach(() => {
    messages = openScreen().messages;
    shownLogs = 0;
    const showLog = () => {
      shownLogs += 1;
      // A button whose action has the same problem.
      if (shownLogs === 1) {
        throw new Error('again');
      }
    };
    report = new Report(silentLog, { redact: (words) => words }, { showLog });
  });

  it('pops up once where several are equal, of which the editor would show none', () => {
    for (let count = 0; count < 4; count += 1) {
      report.error(new Error('odd'));
    }
    assert.equal(messages.history.length, 1);
  });

  it('pops up again once it was closed', async () => {
    report.error(new Error('odd'));
    messages.shown[0]?.close();
    await settle();
    report.error(new Error('odd'));
    assert.equal(messages.history.length, 2);
  });

  it('pops up again after a while, once if several are equal, after any other message', async () => {
    report.error(new Error('odd'));
    await ahead(801, async () => {
      for (let count = 0; count < 4; count += 1) {
        report.error(new Error('odd'));
        await settle();
      }
    });
    assert.equal(messages.history.length, 2);
  });

  it('pops up again where the action of its button has it', async () => {
    report.error(new Error('odd'));
    messages.shown[0]?.press('Show Log');
    await settle();
    assert.deepEqual([messages.history.length, messages.shown.length], [2, 1]);
    report.error(new Error('odd'));
    assert.equal(messages.shown.length, 1);
  });
});
