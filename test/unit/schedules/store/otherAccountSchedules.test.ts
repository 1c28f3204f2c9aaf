import assert from 'node:assert/strict';
import { NotReachableError, TimedOutError } from '../../../../src/api/errors';
import type { Schedule, ScheduleTerm } from '../../../../src/schedules/model/schedule';
import { OtherAccountSchedules } from '../../../../src/schedules/store/otherAccountSchedules';
import {
  otherAccountKind,
  otherAccountNotice,
  type LastListed,
} from '../../../../src/schedules/store/otherMachines';
import { scheduleNotice, scheduleNoticeKind } from '../../../../src/schedules/store/scheduleNotice';
import type { TimerProof } from '../../../../src/schedules/store/timerProofs';
import { unreadableSchedule, unreadableScheduleKind } from '../../../../src/schedules/store/unreadableNotice';
import type { Account } from '../../../../src/store/accounts/accounts';
import { Notices, type Notice } from '../../../../src/store/windows/notices';
import { Presence } from '../../../../src/store/windows/presence';
import { silentLog } from '../../../../src/util/log';
import { anInstance } from '../../../support/builders';
import { computerScene, type ComputerScene } from '../../../support/computerScene';
import { FakeService } from '../../../support/fakeService';
import { aliasOf, FakeScheduleDisk, passInMinutes } from '../../../support/scheduleWindows';

const minute = 60_000;
const instanceId = 5001;

describe('Schedules of accounts that are not active', () => {
  let { service, computer } = {} as ComputerScene;
  /** What an account had when it was active. */
  let last: Record<string, LastListed>;
  let verdict: TimerProof;
  let checks: number;
  /** What is kept of destroyed instances for when their account is active again. */
  let noted: (readonly [accountKey: string, id: number])[];
  beforeEach(async () => {
    last = {};
    verdict = 'armed';
    checks = 0;
    noted = [];
    ({ service, computer } = await computerScene({
      instances: [anInstance({ id: instanceId, actualStatus: 'running', intendedStatus: 'running' })],
    }));
  });
  afterEach(() => computer.dispose());

  /** A window where another account is active than those whose schedules these are. */
  async function open(
    disks: Readonly<Record<string, FakeScheduleDisk>>,
    { refusals = [] as Error[], locked = [] as string[], log = silentLog, client = service.client } = {},
  ) {
    const { clock } = computer;
    const window = await computer.openSignedIn();
    const { accounts, hub, owned } = window;
    const active = accounts.active as Account;
    const notices = owned.add(new Notices(hub));
    const posted: Notice[] = [];
    owned.add(notices.onDidPost((notice) => posted.push(notice)));
    const presence = owned.add(new Presence({ hub, clock }));
    const disk = (key: string) => disks[key] ?? new FakeScheduleDisk();
    const others = owned.add(
      new OtherAccountSchedules({
        accounts: Object.assign(Object.create(accounts) as typeof accounts, {
          others: () => {
            const refusal = refusals.shift();
            return refusal
              ? Promise.reject(refusal)
              : Promise.resolve(
                  Object.keys(disks)
                    .filter((key) => !locked.includes(key))
                    .map((key) => ({ ...active, key, client })),
                );
          },
          known: () => Promise.resolve([active, ...Object.keys(disks).map((key) => ({ ...active, key }))]),
        }),
        ...{ hub, clock, log, notices },
        storage: (key) => disk(key).storage,
        lastListed: (key) => Promise.resolve(last[key] ?? { instances: [], fetchedAt: 0 }),
        noteDestroyed: (...of) => void noted.push(of),
        check: () => {
          checks += 1;
          return Promise.resolve(verdict);
        },
        kernelUse: () => Promise.resolve('idle'),
        idle: { presence, aliasOf: (_, id) => aliasOf(id), file: (key) => disk(key).usageFile },
      }),
    );
    const shownKinds = () =>
      posted
        .filter(({ kind }) => kind === scheduleNoticeKind)
        .map(({ data }) => scheduleNotice.parse(data).kind);
    return { ...window, presence, posted, shownKinds, others };
  }

  const schedule = (disk: FakeScheduleDisk, term: ScheduleTerm, more: Partial<Schedule> = {}) =>
    disk.schedules.set(instanceId, {
      ...{ id: 'aa', instanceId, action: 'stop', term, setAt: computer.clock.now() },
      ...more,
    });
  const use = (gpuUtilPercent: number) => {
    service.instances = service.instances.map((one) => ({ ...one, gpuUtilPercent }));
  };
  const stops = () => service.count('instances.stop');

  it('are carried out although those of another account can not be read', async () => {
    const [broken, good] = [new FakeScheduleDisk(), new FakeScheduleDisk()];
    broken.storage.list = () => Promise.reject(new Error('EACCES'));
    schedule(good, { kind: 'at', at: computer.clock.now() + 30 * minute });
    await open({ broken, good });
    await passInMinutes(computer, 40 * minute);
    assert.equal(stops(), 1);
    assert.equal(good.schedules.size, 0);
  });

  it('are carried out once the accounts can be read, and until then that is logged', async () => {
    const disk = new FakeScheduleDisk();
    const logged: string[] = [];
    const error = (line: string, cause: unknown) => void logged.push(`${line}: ${String(cause)}`);
    schedule(disk, { kind: 'at', at: computer.clock.now() + 30 * minute });
    await open({ disk }, { refusals: [new Error('EIO')], log: { ...silentLog, error } });
    await passInMinutes(computer, 40 * minute);
    assert.equal(stops(), 1);
    assert.deepEqual(logged, ['The schedules of the other accounts could not be looked at: Error: EIO']);
  });

  for (const [what, refusal] of [
    ['the disk refuses the only one there is', { refused: new Error('EACCES') }],
    ['their folder can not be read', { list: () => Promise.reject(new Error('EACCES')) }],
  ] as const) {
    it(`are work for the next start where ${what}`, async () => {
      const [refused, none] = [new FakeScheduleDisk(), new FakeScheduleDisk()];
      Object.assign(refused.storage, refusal);
      const first = await open({ none });
      await computer.clock.advance(0);
      assert.equal(first.others.hasWork, false);
      first.close();
      const { others } = await open({ refused });
      await computer.clock.advance(0);
      assert.equal(others.hasWork, true);
    });
  }

  it('are named where their files can not be read, with the key of the message of an active account', async () => {
    const [damaged, refused] = [new FakeScheduleDisk(), new FakeScheduleDisk()];
    const [broken, held] = ['/d/7.json.broken-1', '/r/8.json'];
    Object.assign(damaged.storage, { unreadable: [{ instanceId: 7, path: broken, kind: 'damaged' }] });
    Object.assign(refused.storage, { unreadable: [{ instanceId: 8, path: held, kind: 'refused' }] });
    last = { damaged: { instances: [anInstance({ id: 7, label: 'trainer' })], fetchedAt: 0 } };
    const { posted } = await open({ damaged, refused });
    await passInMinutes(computer, 2 * minute);
    const day = Math.floor(computer.clock.now() / (24 * 60 * minute));
    const named = posted.flatMap(({ key, kind, data }) =>
      kind === unreadableScheduleKind ? [[key, unreadableSchedule.parse(data).name]] : [],
    );
    assert.deepEqual(
      new Map(named as [string, string][]),
      new Map([
        [`damaged:scheduleFile:${broken}`, 'trainer'],
        [`refused:scheduleFile:${held}:${day}`, '#8'],
      ]),
    );
  });

  it('wait, as work for the next start, while the key ring does not give the key of their account', async () => {
    const disk = new FakeScheduleDisk();
    schedule(disk, { kind: 'at', at: computer.clock.now() + 600 * minute });
    const locked = ['disk'];
    const { others } = await open({ disk }, { locked });
    await passInMinutes(computer, minute);
    locked.pop();
    await passInMinutes(computer, 300 * minute);
    locked.push('disk');
    await passInMinutes(computer, 301 * minute);
    assert.deepEqual([stops(), others.hasWork], [0, true]);
    locked.pop();
    await passInMinutes(computer, 10 * minute);
    assert.equal(stops(), 1);
  });

  it('are ruled out as work for the next start by the leading window alone, and not before it looked', async () => {
    const none = new FakeScheduleDisk();
    const first = await open({ none });
    const said: (boolean | undefined)[] = [];
    first.others.onDidChange(() => said.push(first.others.hasWork));
    assert.equal(first.others.hasWork, undefined);
    await computer.clock.advance(0);
    const second = await open({ none });
    second.others.onDidChange(() => said.push(second.others.hasWork));
    await passInMinutes(computer, 5 * minute);
    assert.deepEqual([first.others.hasWork, second.others.hasWork], [false, undefined]);
    const disk = new FakeScheduleDisk();
    schedule(disk, { kind: 'at', at: computer.clock.now() + 600 * minute });
    const third = await open({ disk });
    first.close();
    second.close();
    assert.deepEqual([new Set(said), third.others.hasWork], [new Set([false]), undefined]);
    await passInMinutes(computer, minute);
    assert.equal(third.others.hasWork, true);
  });

  it('stop an instance once it was idle for so long, after a warning, with one list in five minutes', async () => {
    const disk = new FakeScheduleDisk();
    schedule(disk, { kind: 'idle', minutes: 45 });
    use(0);
    const window = await open({ other: disk });
    const before = service.count('instances.list');
    await passInMinutes(computer, 30 * minute);
    assert.deepEqual([stops(), window.shownKinds()], [0, []]);
    await passInMinutes(computer, 14 * minute);
    assert.deepEqual([stops(), window.shownKinds()], [0, ['soon']]);
    // The list of the active account is read at its own pace as well.
    const own = Math.ceil(45 / 5) + 1;
    assert.ok(
      service.count('instances.list') - before <= 2 * own,
      `${service.count('instances.list') - before} lists`,
    );
    await passInMinutes(computer, 15 * minute);
    assert.deepEqual([stops(), window.shownKinds(), disk.schedules.size], [1, ['soon', 'stopped'], 0]);
  });

  it('stop no instance that is used, by its GPU or by a window of this computer', async () => {
    const disk = new FakeScheduleDisk();
    schedule(disk, { kind: 'idle', minutes: 30 });
    use(80);
    const window = await open({ other: disk });
    await passInMinutes(computer, 60 * minute);
    use(0);
    window.presence.set('terminal', [aliasOf(instanceId)]);
    await passInMinutes(computer, 60 * minute);
    assert.deepEqual([stops(), window.shownKinds()], [0, []]);
    window.presence.set('terminal', []);
    await passInMinutes(computer, 60 * minute);
    assert.equal(stops(), 1);
  });

  it('stop no instance for idle time that was never seen, and report that once', async () => {
    const disk = new FakeScheduleDisk();
    schedule(disk, { kind: 'idle', minutes: 30 });
    use(0);
    const window = await open({ other: disk });
    await passInMinutes(computer, 6 * minute);
    const { before } = service;
    service.before = (call) => {
      if (call === 'instances.list') {
        throw new NotReachableError();
      }
      return before(call);
    };
    await passInMinutes(computer, 60 * minute);
    assert.equal(stops(), 0);
    assert.deepEqual([...new Set(window.shownKinds())], ['unwatched']);
    service.before = before;
    await passInMinutes(computer, 20 * minute);
    assert.equal(stops(), 0, 'counted anew');
    await passInMinutes(computer, 30 * minute);
    assert.equal(stops(), 1);
  });

  it('report that an instance is destroyed after all, if the answer was lost', async () => {
    const disk = new FakeScheduleDisk();
    schedule(disk, { kind: 'idle', minutes: 30 }, { action: 'destroy' });
    use(0);
    const window = await open({ other: disk });
    service.failsBefore('instances.destroy', () => new TimedOutError());
    await passInMinutes(computer, 60 * minute);
    assert.deepEqual(new Set(window.shownKinds()), new Set(['soon', 'failed']));
    const sent = service.count('instances.destroy');
    // The list, which is read every five minutes, shows it before the next try does.
    service.instances = [];
    await passInMinutes(computer, 15 * minute);
    assert.deepEqual([window.shownKinds().at(-1), disk.schedules.size], ['destroyed', 0]);
    assert.deepEqual(noted, [['other', instanceId]]);
    assert.equal(service.count('instances.destroy'), sent);
  });

  it('are asked about each day where an instance was to be destroyed while no editor was open', async () => {
    const disk = new FakeScheduleDisk();
    const hour = 60 * minute;
    schedule(disk, { kind: 'at', at: computer.clock.now() - 2 * hour }, { action: 'destroy' });
    const window = await open({ other: disk });
    await passInMinutes(computer, 26 * hour);
    const asked = new Set(window.posted.map(({ key }) => key));
    assert.deepEqual([asked.size, new Set(window.shownKinds())], [2, new Set(['missed'])]);
    service.instances = [];
    await passInMinutes(computer, 2 * hour);
    assert.equal(window.shownKinds().at(-1), 'destroyed');
    assert.equal(disk.schedules.size, 0);
  });

  it('ask the service nothing where no idle time is waited for, or the instance sees to it itself', async () => {
    const [timed, armed] = [new FakeScheduleDisk(), new FakeScheduleDisk()];
    const at = computer.clock.now() + 600 * minute;
    schedule(timed, { kind: 'at', at });
    const provedAt = computer.clock.now();
    schedule(armed, { kind: 'idle', minutes: 30 }, { armed: { token: 'abc', provedAt, at: undefined } });
    const without = await open({});
    const count = async () => {
      const before = service.count('instances.list');
      await passInMinutes(computer, 60 * minute);
      return service.count('instances.list') - before;
    };
    const usual = await count();
    without.close();
    await open({ timed, armed });
    const lists = await count();
    assert.ok(Math.abs(lists - usual) <= 1, `${lists} lists instead of ${usual}`);
  });

  it('have their timers proved once a day, and report at once that one is gone', async () => {
    const disk = new FakeScheduleDisk();
    const hour = 60 * minute;
    const [at, provedAt] = [computer.clock.now() + 100 * hour, computer.clock.now()];
    schedule(disk, { kind: 'at', at }, { action: 'destroy', armed: { token: 'ab', at, provedAt } });
    const window = await open({ disk });
    await passInMinutes(computer, 23 * hour);
    assert.equal(checks, 0);
    await passInMinutes(computer, 2 * hour);
    assert.equal(checks, 1);
    assert.ok(computer.clock.now() - (disk.schedules.get(instanceId)?.armed?.provedAt ?? 0) <= 2 * hour);
    verdict = 'gone';
    await passInMinutes(computer, 24 * hour);
    assert.deepEqual([checks, window.shownKinds()], [2, ['timerGone']]);
    assert.equal(disk.schedules.get(instanceId)?.armed, undefined);
  });

  it('are checked with one list a day of the instances of their accounts, which shows what still runs and what is gone', async () => {
    const hour = 60 * minute;
    const other = new FakeScheduleDisk();
    const gone = anInstance({ id: 6001, label: 'gone', startedAt: 1000 });
    last = { other: { instances: [...service.instances, gone], fetchedAt: computer.clock.now() } };
    const foreign = new FakeService();
    foreign.instances = service.instances;
    const window = await open({ other }, { client: foreign.client });
    const found = () =>
      new Map(
        window.posted
          .filter(({ kind }) => kind === otherAccountKind)
          .map(({ key, data }) => [key, otherAccountNotice.parse(data)]),
      );
    await passInMinutes(computer, 23 * hour);
    assert.deepEqual([found().size, window.others.hasWork], [0, true]);
    await passInMinutes(computer, 2 * hour);
    assert.deepEqual(
      [...found()].map(([key, { kind }]) => [key, kind]),
      [
        [`other:running:${instanceId}`, 'running'],
        ['other:gone:6001:1000', 'ended'],
      ],
    );
    // The end of an instance is proved by its record and another list.
    const asked = () => [foreign.count('instances.list'), foreign.count('instances.get')];
    assert.deepEqual(asked(), [2, 1]);
    await passInMinutes(computer, 48 * hour);
    assert.equal(found().size, 2, 'once for the same instances');
    assert.deepEqual(asked(), [4, 1]);
  });
});
