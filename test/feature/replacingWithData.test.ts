import assert from 'node:assert/strict';
import { rentUnwatched } from '../support/feature/rentDriver';
import { useComputer } from '../support/feature/useComputer';

const minute = 60_000;

describe('a replacement of a machine with data whose window is killed before it destroys anything', () => {
  const computer = useComputer();

  it('asks about the data again', async () => {
    const id = await rentUnwatched(computer());
    const { simulator } = computer();
    const second = await computer().openWindow({ isFocused: true });
    await second.toastButton(/will not get ready/, 'Destroy and Rent Next Best');
    simulator.fail({ kind: 'stall', method: 'POST', path: '/api/v0/bundles/' });
    await second.dialogButton('Destroy and Rent Next Best', /lose any data on it/);
    await computer().rest();
    second.kill();
    await computer().pass(minute);
    const next = await computer().openWindow({ isFocused: true });
    await next.toastButton(/was not replaced, because the window closed first/, 'Destroy and Rent Next Best');
    assert.match((await next.dialog()).text, /lose any data on it/);
    await next.dialogButton('Cancel');
    await computer().pass(minute);
    assert.deepEqual(simulator.received('DELETE', `/api/v0/instances/${id}/`), []);
  });
});
