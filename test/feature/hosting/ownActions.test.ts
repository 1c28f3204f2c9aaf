import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { letAgentsIn } from '../../support/feature/agentDriver';
import { PageDriver } from '../../support/feature/pageDriver';
import { haveKey, rent3090 } from '../../support/feature/rentDriver';
import { useComputer } from '../../support/feature/useComputer';
import type { FeatureWindow } from '../../support/feature/window';

const audit = '/api/v0/audit_logs/';

describe('what GPU Rental did on this computer', () => {
  const computer = useComputer();
  let window: FeatureWindow;
  let activity: PageDriver;

  before(async () => {
    await haveKey(computer());
    window = await computer().openSignedIn();
    activity = new PageDriver(window, 'activity');
  });

  const actions = async (count: number) => {
    if (window.screen.panels.all.every(({ isClosed }) => isClosed)) {
      await window.view('account').click('Account Activity');
    } else {
      await activity.press('Refresh');
    }
    await activity.shows(`${count} actions`, () => activity.rows('own').length === count);
    return activity.rows('own').map(([, what, number, by, , result]) => [what, number, by, result]);
  };

  it('names the command, the schedule or the agent that did it', async () => {
    const { id } = await rent3090(window);
    const rented = ['Rent', `#${id}`, 'Command: Search Offers', 'done'];
    assert.deepEqual(await actions(1), [rented]);
    await window.view('instances').menu(/3090/, 'End Later…');
    await window.quick.pick(/Stop After a Time/);
    await window.quick.title(/When/);
    await window.quick.type('1m', { enter: false });
    await window.quick.pick('In 1 min');
    await computer().pass(3 * 60_000);
    const stopped = ['Stop', `#${id}`, 'Schedule', 'done'];
    assert.deepEqual(await actions(2), [stopped, rented]);
    const agent = await letAgentsIn(window);
    const { instances } = (await agent.call('list_instances')) as {
      readonly instances: readonly {
        readonly instance: string;
        readonly untrusted: { readonly label: string };
      }[];
    };
    const [one] = instances;
    await agent.call('destroy_instance', {
      instance: one?.instance,
      label: one?.untrusted.label,
      requestId: 'destroy-it',
    });
    await window.dialog('Destroy');
    await computer().pass(600);
    await window.dialogButton('Destroy', /for the chat/);
    await computer().until('the end', () => computer().simulator.world.instances.length === 0);
    assert.deepEqual(await actions(3), [
      ['Destroy', `#${id}`, 'Agent: “the chat” (unverified name)', 'done'],
      stopped,
      rented,
    ]);
    window.clearToasts();
  });

  it('is kept for the next window, and saved as CSV', async () => {
    window.close();
    window = await computer().openWindow();
    activity = new PageDriver(window, 'activity');
    assert.equal((await actions(3)).length, 3);
    const file = path.join(computer().workspace, 'activity-own.csv');
    window.screen.fileDialogs.push([file]);
    await activity.press('Save as CSV');
    await window.quick.pick('Done by GPU Rental on This Computer');
    await window.toast('Saved activity-own.csv.');
    const lines = readFileSync(file, 'utf8').trimEnd().split('\r\n');
    assert.equal(lines[0], '\ufeffTime (UTC),Change,Number,By,Folder,Result,Request ID');
    assert.match(lines[1] ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,Destroy,#\d+,Agent: “the chat”/);
    assert.equal(lines.length, 4);
  });

  it('is shown to a key that may not read the audit log of the service', async () => {
    const denied = { status: 403, error: 'not_authorized', msg: 'This key lacks the permission misc.' };
    computer().simulator.fail({ kind: 'error', method: 'GET', path: audit, ...denied });
    await activity.press('Refresh');
    await activity.notice(/Could not read the service's audit log\. .*permission/);
    assert.equal(activity.view.sections.length, 1);
    assert.equal(activity.rows('own').length, 3);
  });

  it('is deleted with the account', async () => {
    const logs = () => computer().ofAccounts('actions.log').length;
    assert.equal(logs(), 1);
    window.run('Sign Out…');
    await window.dialogButton('Sign Out', /This removes the key/);
    await computer().until('the end of the account', () => logs() === 0);
  });
});
