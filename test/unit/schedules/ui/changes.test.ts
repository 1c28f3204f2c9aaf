import assert from 'node:assert/strict';
import type { Removal } from '../../../../src/schedules/store/serviceTimetable';
import { cancel, extendUntil } from '../../../../src/schedules/ui/changes';
import { OnQuick } from '../../../support/onQuick';
import { openScreen, runCommandsBy, textsOn } from '../../../support/onScreen';
import { only } from '../../../support/only';
import { scheduleScene, type ScheduleScene } from '../../../support/scheduleWindows';
import { until } from '../../../support/until';

const id = 5001;

describe('Canceling the end of an instance', () => {
  let { computer, open } = {} as ScheduleScene;
  beforeEach(async () => {
    ({ computer, open } = await scheduleScene());
  });
  afterEach(() => computer.dispose());

  it('keeps a timer in sight that was started right after the one before had ended', async () => {
    const screen = openScreen();
    const window = await open();
    const { accounts, fleet, schedules } = window;
    const set = await schedules.set(id, 'stop', { kind: 'idle', minutes: 30 });
    const provedAt = computer.clock.now();
    await schedules.setArmed(set.schedule, { token: 'ab', provedAt });
    runCommandsBy(() => Promise.resolve('gpu-5001'));
    let others = 0;
    schedules.onDidChange(() => {
      others += 1;
      if (schedules.find(id)?.schedule.armed === undefined && others === 1) {
        void schedules.setArmed(set.schedule, { token: 'cd', provedAt, isDoubtful: true });
      }
    });
    const deps = only<Parameters<typeof cancel>[0]>({
      ...{ accounts, fleet, schedules },
      clock: computer.clock,
      ssh: { exec: () => Promise.resolve({ stdout: 'gpu-rental timer\ndisarmed\n' }) },
      timetable: { removal: () => Promise.resolve('gone') },
    });
    await computer.clock.through(cancel(deps, id));
    await new OnQuick(screen).flush();
    assert.equal(schedules.find(id)?.schedule.isOnlyOnInstance, true);
    assert.match(textsOn(screen).join('\n'), /Canceled here only\./);
  });

  it('waits for the window that removes the stop at the service, and names what to do where that hangs', async () => {
    const screen = openScreen();
    const { accounts, fleet, schedules } = await open();
    await schedules.set(id, 'stop', { kind: 'at', at: computer.clock.now() + 3_600_000 });
    const answers: ((removal: Removal) => void)[] = [];
    const removal = () => new Promise<Removal>((resolve) => void answers.push(resolve));
    const startTime = computer.clock.now() / 1000 + 3600;
    const deps = only<Parameters<typeof cancel>[0]>({
      ...{ accounts, fleet, schedules },
      clock: computer.clock,
      timetable: {
        removal,
        find: () => ({ instanceId: id, startTime }),
        timeOf: (time: number) => time * 1000,
      },
    });
    const canceling = cancel(deps, id);
    await until('the progress', () => textsOn(screen).some((line) => /Waiting for the service/.test(line)));
    answers[0]?.('noAnswer');
    await canceling;
    const [left] = screen.messages.history;
    assert.match(left?.text ?? '', /^Canceled here only: the service may still stop training at .* windows/);
    left?.press('Retry');
    await until('another wait', () => answers.length === 2);
    answers[1]?.('gone');
    await new OnQuick(screen).flush();
    assert.match(textsOn(screen).join('\n'), /training will not stop by itself/);
  });
});

describe('Keeping an instance', () => {
  let { computer, open } = {} as ScheduleScene;
  beforeEach(async () => {
    ({ computer, open } = await scheduleScene());
  });
  afterEach(() => computer.dispose());

  it('names the old stop at the service while the window hangs that moves it', async () => {
    const screen = openScreen();
    const { accounts, fleet, schedules } = await open();
    const at = computer.clock.now() + 3_600_000;
    await schedules.set(id, 'stop', { kind: 'at', at });
    const answers: Removal[] = ['noAnswer', 'gone'];
    const asked: (number | undefined)[] = [];
    const startTime = at / 1000;
    const deps = only<Parameters<typeof extendUntil>[0]>({
      ...{ accounts, fleet, schedules },
      clock: computer.clock,
      timetable: {
        find: () => ({ instanceId: id, startTime }),
        wish: () => ({ kind: 'stop', startTime: startTime + 7200 }),
        removal: (_, time) => {
          asked.push(time);
          return Promise.resolve(answers.shift() ?? 'gone');
        },
        timeOf: (time: number) => time * 1000,
      },
    });
    await extendUntil(deps, id, at + 7_200_000);
    const warning = () => screen.messages.history.find(({ text }) => /^Changed here only/.test(text));
    await until('the warning', () => warning() !== undefined);
    assert.match(warning()?.text ?? '', /the service may still stop training at .* windows/);
    warning()?.press('Retry');
    await until('another wait', () => asked.length === 2);
    assert.deepEqual(asked, [startTime, startTime]);
  });
});
