import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { WindowDeps } from '../../../../src/features/connectedWindow/deps';
import { askAboutWindow } from '../../../../src/features/connectedWindow/question';
import type { Instance } from '../../../../src/model/instances/instance';
import type { WindowTrouble } from '../../../../src/model/instances/windowTrouble';
import { anInstance } from '../../../support/builders';
import { FakeClock } from '../../../support/fakeClock';
import { textsOn, useScreen } from '../../../support/onScreen';

describe('The question about the instance of a window', () => {
  const screen = useScreen();
  const clock = new FakeClock();
  let instance: Instance | undefined;
  let rental: object | undefined;
  const deps = {
    accounts: { active: { key: 'mine' } },
    clock,
    fleet: { find: () => instance, facts: () => ({}) },
    rentals: { find: () => rental },
  } as unknown as WindowDeps;
  const ask = (trouble: WindowTrouble) => askAboutWindow(deps, { instanceId: 7, name: 'trainer' }, trouble);
  const buttons = async (trouble: WindowTrouble, more: Partial<Instance> | undefined) => {
    instance = more && anInstance({ id: 7, label: 'trainer', ...more });
    const end = ask(trouble);
    await setImmediate();
    screen.messages.shown.at(-1)?.close();
    await end;
    return textsOn(screen).map((line) => line.replace(/^.*(?=\[)/s, ''));
  };
  const stopped = { actualStatus: 'exited', intendedStatus: 'stopped' };
  const outbid = { actualStatus: 'exited', isInterruptible: true, uptimeMinutes: 5 };

  it('offers what fits to the trouble, and never nothing', async () => {
    rental = undefined;
    assert.deepEqual(await buttons('moved', {}), ['[Keep It Open, Reload Window, Close the Window, Cancel]']);
    assert.deepEqual(await buttons('destroyed', undefined), [
      '[Keep It Open, Search Offers…, Close the Window, Cancel]',
    ]);
    assert.deepEqual(await buttons('stopped', stopped), [
      '[Keep It Open, Start for $0.400/h, Rent Another Like This…, Close the Window, Cancel]',
    ]);
    assert.deepEqual(await buttons('outbid', outbid), [
      '[Keep It Open, Change Bid…, Rent Another Like This…, Close the Window, Cancel]',
    ]);
    assert.deepEqual(await buttons('offline', { actualStatus: 'offline' }), [
      '[Keep It Open, Rent Another Like This…, Close the Window, Cancel]',
    ]);
    rental = { search: {} };
    assert.deepEqual(await buttons('offline', { actualStatus: 'offline' }), [
      '[Keep It Open, Replace, Close the Window, Cancel]',
    ]);
    assert.deepEqual(await buttons('stopped', stopped), [
      '[Keep It Open, Start for $0.400/h, Rent Another Like This…, Close the Window, Cancel]',
    ]);
    rental = {};
    assert.deepEqual(await buttons('offline', { actualStatus: 'offline' }), [
      '[Keep It Open, Rent Another Like This…, Close the Window, Cancel]',
    ]);
  });

  it('closes the connection of the window, or its folder where the editor knows no connection', async () => {
    instance = anInstance({ id: 7, label: 'trainer' });
    const leave = async () => {
      const end = ask('moved');
      await setImmediate();
      screen.messages.shown.at(-1)?.press('Close the Window');
      await end.catch(() => undefined);
      textsOn(screen);
      return screen.commands.executed.at(-1)?.id;
    };
    assert.equal(await leave(), 'workbench.action.closeFolder');
    let isClosed = false;
    screen.commands.register('workbench.action.remote.close', () => {
      isClosed = true;
    });
    await leave();
    assert.ok(isClosed);
  });

  it('does not accept a yes that was pressed before the question could be read', async () => {
    instance = anInstance({ id: 7, label: 'trainer', ...stopped });
    const end = ask('stopped');
    await setImmediate();
    screen.messages.shown.at(-1)?.press('Start for $0.400/h');
    await setImmediate();
    assert.equal(screen.messages.shown.length, 1, 'it is asked again');
    await clock.advance(999);
    screen.messages.shown.at(-1)?.press('Start for $0.400/h');
    await setImmediate();
    await clock.advance(1_000);
    screen.messages.shown.at(-1)?.press('Start for $0.400/h');
    await end;
    assert.deepEqual(screen.messages.shown, []);
    assert.equal(textsOn(screen).length, 3);
  });
});
