import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { stopAllOfAgents } from '../../../../../src/agents/ui/oversight/stopAll';
import { anInstance } from '../../../../support/builders';
import { textsOn, useCommands, useScreen } from '../../../../support/onScreen';
import { only } from '../../../../support/only';

const trainer = anInstance({ id: 7, label: 'trainer' });
const { storagePerHour, ...helper } = anInstance({ id: 8, label: 'helper' });

describe('Stopping all that agents rented', () => {
  const screen = useScreen();
  const done: string[] = [];
  const run = (id: string, args: readonly unknown[]) => {
    done.push(`${id} ${JSON.stringify(args)}`);
    return Promise.resolve(undefined);
  };
  useCommands(run);
  const accounts = { active: { key: 'mine' } };
  const watch = {
    instances: [] as object[],
    pending: [] as object[],
    underWay: [] as object[],
    desk: {
      answer: (id: string, isYes: boolean) => {
        done.push(`answer ${id} ${String(isYes)}`);
        return Promise.resolve(undefined);
      },
    },
  };
  const running = [
    { instance: trainer, canStop: true },
    { instance: helper, canStop: true },
    { instance: anInstance({ id: 9 }), canStop: false },
  ];
  /** What is asked; then the button is pressed. */
  const stop = async (button: string, meanwhile: () => void = () => undefined) => {
    const end = stopAllOfAgents(only(watch), only({ accounts }));
    await setImmediate();
    meanwhile();
    const [question] = screen.messages.shown;
    if (question?.modal) {
      question.press(button);
    }
    await end;
    return [...textsOn(screen), ...done.splice(0)];
  };

  beforeEach(() => {
    for (const one of [...screen.messages.shown]) {
      one.close();
    }
    accounts.active = { key: 'mine' };
    Object.assign(watch, { instances: [], pending: [], underWay: [] });
  });

  it('is not asked about where there is nothing to stop', async () => {
    watch.instances = [running[2] ?? {}];
    watch.underWay = [{ tool: 'request_start' }];
    assert.deepEqual(await stop(''), ['info No agent instance is running, and no request is waiting. []']);
    watch.underWay = [{ tool: 'request_rental' }];
    assert.deepEqual(await stop(''), [
      "info An agent's rental has no answer yet. Try again when the instance is in the list. []",
    ]);
  });

  it('shows what is kept and what that costs, and stops all at once', async () => {
    assert.ok(storagePerHour);
    watch.instances = running;
    assert.deepEqual(await stop('Stop All'), [
      'warning dialog Stop everything that agents rented? // Running processes stop. Storage is kept, and no data is destroyed.\n' +
        'trainer: storage costs $0.120/day\nhelper [Keep Running, Stop All, Cancel]',
      'gpuRental.instance.stopNow [{"instanceIds":[7,8]}]',
    ]);
    assert.equal((await stop('Keep Running')).length, 1);
  });

  it('declines all waiting requests, also later ones, and shows what is not stopped', async () => {
    watch.pending = [{ id: 'a' }];
    watch.underWay = [{ tool: 'request_rental' }, { tool: 'request_start' }];
    const come = () => {
      watch.pending = [{ id: 'a' }, { id: 'b' }];
    };
    assert.deepEqual(await stop('Stop All', come), [
      'warning dialog Stop everything that agents rented? // Waiting requests that are declined: 1\n' +
        'Rentals with no answer yet that are not stopped: 1 [Keep Running, Stop All, Cancel]',
      'answer a false',
      'answer b false',
    ]);
  });

  it('stops nothing of another account', async () => {
    watch.instances = running.slice(0, 1);
    watch.pending = [{ id: 'a' }];
    const said = await stop('Stop All', () => {
      accounts.active = { key: 'theirs' };
    });
    assert.deepEqual(said.slice(1), [
      'info Nothing was done because the account was switched. Check the active account and try again. []',
    ]);
  });
});
