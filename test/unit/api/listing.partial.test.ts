import assert from 'node:assert/strict';
import { NotUnderstoodError } from '../../../src/api/errors';
import { scriptedClient } from '../../support/fakeTransport';

describe('an answer that lacks a part', () => {
  for (const secret of [undefined, null, '']) {
    it(`is not understood where the part is needed to go on (${JSON.stringify(secret)})`, async () => {
      const { client, finish } = scriptedClient(() => ({ json: { success: true, secret } }));
      await assert.rejects(finish(client.secondFactor.sendEmail(undefined)), NotUnderstoodError);
    });
  }

  for (const [sent, notified] of [
    ['3', 3],
    ['0', 0],
    [3, 3],
    ['3 notifications sent', 3],
    ['Sent 12 notifications.', 12],
    ['1 notification sent to 1 client', undefined],
    ['2.5', undefined],
    ['-1', undefined],
    ['', undefined],
    [' ', undefined],
    ['three', undefined],
    [undefined, undefined],
  ] as const) {
    it(`states how many renters were notified only if known (${JSON.stringify(sent)})`, async () => {
      const { client, finish } = scriptedClient(() => ({ json: { success: true, you_sent: sent } }));
      const plan = { startsAt: 0, hours: 2, reason: 'disks', category: 'other' } as const;
      const done = await finish(client.machines.scheduleMaintenance(1, plan));
      assert.deepEqual(done, notified === undefined ? {} : { notified });
    });
  }
});
