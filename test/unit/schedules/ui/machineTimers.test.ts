import assert from 'node:assert/strict';
import type { Schedule } from '../../../../src/schedules/model/schedule';
import { arm, armExtended, check, disarm } from '../../../../src/schedules/ui/machineTimers';
import { scheduleNote } from '../../../../src/schedules/ui/scheduleText';
import { HostKeyError } from '../../../../src/ssh/hostKey';
import { FakeClock } from '../../../support/fakeClock';
import { OnQuick } from '../../../support/onQuick';
import { openScreen, runCommandsBy, textsOn } from '../../../support/onScreen';
import { only } from '../../../support/only';

const hour = 3_600_000;

describe('The timer on a machine', () => {
  /** A machine whose answers are given in turn, the last one again and again. */
  function scene({
    answers = ['armed curl'],
    isReachable = true,
    change = {},
  }: {
    readonly answers?: readonly string[];
    readonly isReachable?: boolean;
    readonly change?: Partial<Schedule>;
  } = {}) {
    const screen = openScreen();
    const clock = new FakeClock();
    const schedule: Schedule = {
      ...{ id: 'one', instanceId: 7, action: 'stop', setAt: clock.now() },
      term: { kind: 'at', at: clock.now() + hour },
      ...change,
    };
    const kept: { schedule: Schedule | undefined } = { schedule };
    const orders: (readonly string[])[] = [];
    const errors: unknown[] = [];
    const said: (string | Error)[] = [...answers];
    let isTaken = true;
    const set = (_: Schedule, armed: Schedule['armed']) => {
      if (isTaken) {
        kept.schedule = { ...schedule, armed };
      }
      return Promise.resolve(isTaken);
    };
    const deps = only<Parameters<typeof arm>[0]>({
      clock,
      schedules: { find: () => kept.schedule && { schedule: kept.schedule }, setArmed: set },
      report: { error: (error: unknown) => errors.push(error) },
      ssh: {
        exec: (_: string, __: string, { input }: { readonly input: string }) => {
          orders.push(input.split('\n'));
          const answer = said.length > 1 ? said.shift() : said[0];
          return answer instanceof Error
            ? Promise.reject(answer)
            : Promise.resolve({ stdout: `gpu-rental timer\n${answer}\n` });
        },
      },
    });
    const run = (id: string) => {
      assert.equal(id, 'gpuRental.prepareSsh');
      return Promise.resolve(isReachable ? 'gpu-7' : undefined);
    };
    runCommandsBy(run);
    const account = () => ({ key: 'mine', serviceUrl: 'https://service.example' }) as never;
    const scheduled = { instanceId: 7, name: 'trainer', account };
    const quick = new OnQuick(screen);
    const press = async (button: string) => {
      screen.messages.shown.at(-1)?.press(button);
      await quick.flush();
    };
    /** The messages once nothing goes on any more. */
    const notices = async () => {
      await quick.flush();
      return textsOn(screen).filter((line) => !line.startsWith('progress'));
    };
    const verbs = () => orders.splice(0).map(([verb]) => verb);
    return {
      ...{ deps, scheduled, schedule, kept, orders, said, errors, screen, clock, press, notices, verbs },
      refuse: () => {
        isTaken = false;
      },
    };
  }

  const armed = (schedule: Schedule) => ({
    token: 'aa',
    at: schedule.setAt + hour,
    provedAt: schedule.setAt,
  });

  it('acts a little after the open editor, which warns first', async () => {
    const { deps, scheduled, schedule, kept, orders, notices } = scene();
    await arm(deps, scheduled);
    const [, url, id, action, seconds, token] = orders[0] ?? [];
    assert.deepEqual([url, id, action, seconds], ['https://service.example', '7', 'stop', '3620']);
    assert.match(token ?? '', /^[0-9a-f]{16}$/);
    assert.deepEqual(kept.schedule?.armed, {
      ...{ token, at: schedule.setAt + hour + 20_000, provedAt: schedule.setAt },
    });
    assert.match((await notices()).join(), /^info trainer stops itself at .*, also when no editor is open/);
  });

  it('counts from now if it waits for idle time, and shows that before it is started', async () => {
    const term = { kind: 'idle', minutes: 45 } as const;
    const { deps, scheduled, kept, orders, notices, press } = scene({ change: { term } });
    const arming = arm(deps, scheduled);
    const [question = ''] = await notices();
    assert.match(question, /dialog Let “trainer” stop itself once it is idle for 45 min\?/);
    assert.match(question, /\n\nIt does so even when no editor is open, without a warning\. \[/);
    await press('Let It Stop Itself');
    await arming;
    assert.equal(orders[0]?.[4], String(45 * 60 + 20));
    assert.equal(kept.schedule?.armed?.at, undefined);
  });

  it('asks before it may destroy, and does nothing without a yes', async () => {
    const { deps, scheduled, notices, press, verbs } = scene({ change: { action: 'destroy' } });
    const arming = arm(deps, scheduled);
    const [question = ''] = await notices();
    assert.match(
      question,
      /Let “trainer” destroy itself at .*\/\/ It does so .* All data on it is lost\. \[/,
    );
    await press('Cancel');
    await arming;
    assert.deepEqual(verbs(), []);
    const again = arm(deps, scheduled);
    await notices();
    await press('Let It Destroy Itself');
    await again;
    assert.match((await notices()).join(), /^info trainer destroys itself at /);
  });

  it('is not started once its time has passed', async () => {
    const { deps, scheduled, clock, notices, verbs } = scene();
    clock.jump(hour);
    await arm(deps, scheduled);
    assert.match((await notices()).join(), /its time has passed/);
    assert.deepEqual(verbs(), []);
  });

  it('is not started on a machine that refuses the login, nor without a schedule', async () => {
    const away = scene({ isReachable: false });
    await arm(away.deps, away.scheduled);
    await check(away.deps, away.scheduled);
    const { deps, scheduled, kept, verbs, notices } = scene();
    kept.schedule = undefined;
    await arm(deps, scheduled);
    await check(deps, scheduled);
    assert.equal(await disarm(deps, scheduled), 'done');
    assert.deepEqual([verbs(), await notices(), away.verbs(), await away.notices()], [[], [], [], []]);
  });

  it('is not asked about in another account than the one of the user', async () => {
    const { deps, scheduled, notices } = scene({ change: { action: 'destroy' } });
    const account = () => {
      throw new Error('Another account is active');
    };
    await assert.rejects(arm(deps, { ...scheduled, account }), /Another account/);
    assert.deepEqual(await notices(), []);
  });

  it('is ended where its schedule has changed in the meantime', async () => {
    const { deps, scheduled, refuse, verbs, notices } = scene({ answers: ['armed curl', 'disarmed'] });
    refuse();
    await arm(deps, scheduled);
    assert.deepEqual([verbs(), await notices()], [['arm', 'disarm'], []]);
  });

  it('is ended if its start is unconfirmed, and requested again if that fails', async () => {
    const one = scene();
    one.said.splice(0, 1, new Error('The connection was lost'), 'nothing', 'disarmed');
    await assert.rejects(arm(one.deps, one.scheduled), /connection was lost/);
    assert.match(
      (await one.notices()).join(),
      /It may be running, because it could not be ended\. \[Retry\]/,
    );
    await one.press('Retry');
    assert.deepEqual([one.verbs(), await one.notices()], [['arm', 'disarm', 'disarm'], []]);
  });

  it('reports that the host key changed instead of ending what it has not started', async () => {
    const one = scene();
    one.said.splice(0, 1, new HostKeyError('REMOTE HOST IDENTIFICATION HAS CHANGED'));
    await assert.rejects(arm(one.deps, one.scheduled), HostKeyError);
    assert.deepEqual(one.verbs(), ['arm']);
  });

  it('that can’t be ended because the host key changed shows that beside the question', async () => {
    const one = scene();
    one.said.splice(0, 1, new HostKeyError('REMOTE HOST IDENTIFICATION HAS CHANGED'));
    one.kept.schedule = { ...one.schedule, armed: armed(one.schedule) };
    const ended = disarm(one.deps, one.scheduled);
    assert.match((await one.notices()).join(), /^warning Could not reach trainer/);
    assert.equal(one.errors.length, 1);
    one.screen.messages.shown[0]?.close();
    assert.equal(await ended, 'no');
    one.said.splice(0, 1, new Error('No network'));
    await assert.rejects(disarm(one.deps, one.scheduled), /No network/);
  });

  const reasons = [
    ['no-tool', /Install curl on it/],
    ['busy', /Another window is changing/],
    ['no-gpu-use', /does not report GPU use/],
    ['no-login-seen', /does not show SSH logins/],
    ['no-key', /no CONTAINER_API_KEY/],
    ['status 403', /\(HTTP 403\)/],
    ['status 000', /could not reach the service/],
    ['not-alive', /process is not running/],
  ] as const;
  for (const [answer, why] of reasons) {
    it(`explains why it was not started, and tries again: ${answer}`, async () => {
      const one = scene({ answers: [answer] });
      await arm(one.deps, one.scheduled);
      const [said = ''] = await one.notices();
      assert.match(said, /^warning Could not arm trainer\. .*\[Retry\]$/);
      assert.match(said, why);
      assert.equal(one.kept.schedule?.armed, undefined);
      await one.press('Retry');
      assert.deepEqual(one.verbs(), ['arm', 'arm']);
    });
  }

  it('that gave no answer is ended, or counts as one that may act', async () => {
    const ended = scene();
    ended.said.splice(0, 1, '', '', 'disarmed');
    await arm(ended.deps, ended.scheduled);
    assert.match((await ended.notices()).join(), /^warning Could not arm trainer\. trainer did not answer\./);
    assert.deepEqual([ended.verbs(), ended.kept.schedule?.armed], [['arm', 'check', 'disarm'], undefined]);

    const silent = scene({ answers: [''] });
    await arm(silent.deps, silent.scheduled);
    assert.match(
      (await silent.notices()).join(),
      /^warning Could not start the timer on trainer\. It may be running/,
    );
    const possible = silent.kept.schedule?.armed;
    assert.equal(possible?.isDoubtful, true);
    const note = scheduleNote(
      { schedule: { ...silent.schedule, armed: possible }, state: { scheduleId: 'one' } },
      silent.clock.now(),
    );
    assert.match(note.row, /\(possibly armed\)$/);

    const found = scene();
    found.said.splice(0, 1, '', 'armed curl');
    await arm(found.deps, found.scheduled);
    assert.match((await found.notices()).join(), /^info trainer stops itself at /);
    assert.deepEqual(found.verbs(), ['arm', 'check']);
  });

  it('is proved again by a look at it', async () => {
    const one = scene();
    one.kept.schedule = { ...one.schedule, armed: armed(one.schedule) };
    one.clock.jump(60_000);
    await check(one.deps, one.scheduled);
    assert.deepEqual(one.kept.schedule.armed, { ...armed(one.schedule), provedAt: one.clock.now() });
    assert.match(
      (await one.notices()).join(),
      /^info The timer on trainer runs and acts at .* Its key was accepted/,
    );
    assert.deepEqual(
      one.orders.map(([verb, , , , seconds, token]) => [verb, seconds, token]),
      [['check', '0', 'aa']],
    );
  });

  for (const [answer, words, isArmed, next] of [
    ['not-alive', /^warning The timer on trainer has ended\./, false, 'arm'],
    ['busy', /^warning Could not verify the timer on trainer, so it may still act at /, true, 'check'],
  ] as const) {
    it(`is ${isArmed ? 'kept' : 'forgotten'} after the answer: ${answer}`, async () => {
      const one = scene({ answers: [answer] });
      one.kept.schedule = { ...one.schedule, armed: armed(one.schedule) };
      await check(one.deps, one.scheduled);
      assert.match((await one.notices()).join(), words);
      assert.equal(one.kept.schedule.armed !== undefined, isArmed);
      await one.press('Retry');
      assert.deepEqual(one.verbs(), ['check', next]);
    });
  }

  for (const [button, answer] of [
    ['Cancel Here Only', 'hereOnly'],
    ['Retry', 'done'],
    [undefined, 'no'],
  ] as const) {
    it(`that can't be ended is left to the user: ${button ?? 'nothing'}`, async () => {
      const one = scene({ answers: ['nothing', 'disarmed'] });
      one.kept.schedule = { ...one.schedule, armed: armed(one.schedule) };
      const ended = disarm(one.deps, one.scheduled);
      const [said = ''] = await one.notices();
      assert.match(
        said,
        /^warning Could not reach trainer, so nothing has changed: its own timer still acts at /,
      );
      if (button) {
        await one.press(button);
      } else {
        one.screen.messages.shown[0]?.close();
      }
      assert.equal(await ended, answer);
      assert.equal(one.kept.schedule.armed === undefined, answer === 'done');
    });
  }

  it('that ended is replaced by one of the extended schedule, if that is still there', async () => {
    const one = scene({ answers: ['disarmed', 'armed curl', 'disarmed'] });
    let ended = 0;
    const onEnded = () => {
      ended += 1;
    };
    const schedule = { ...one.schedule, armed: armed(one.schedule) };
    one.kept.schedule = schedule;
    await armExtended(one.deps, one.scheduled, schedule, onEnded);
    assert.deepEqual([one.verbs(), ended], [['disarm', 'arm'], 1]);
    await armExtended(one.deps, one.scheduled, { ...schedule, id: 'other' }, onEnded);
    assert.deepEqual([one.verbs(), ended], [['disarm'], 1]);
  });

  it('that could not be ended is named, with its time, and why', async () => {
    const one = scene();
    one.said.splice(0, 1, new Error('No network'), 'disarmed', 'armed curl');
    const schedule = { ...one.schedule, armed: armed(one.schedule) };
    one.kept.schedule = schedule;
    let ended = 0;
    await armExtended(one.deps, one.scheduled, schedule, () => {
      ended += 1;
    });
    assert.match(String(one.errors), /No network/);
    assert.match(
      (await one.notices()).join(),
      /Extended here only\. trainer still stops itself at .*\[Retry\]/,
    );
    assert.deepEqual([one.verbs(), ended], [['disarm'], 0]);
    await one.press('Retry');
    assert.deepEqual([one.verbs(), ended], [['disarm', 'arm'], 1]);
  });
});
