import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { GoneError, RentOutcomeUnknownError } from '../../../../src/api/errors';
import type { JobRental } from '../../../../src/jobs/model/job';
import { phaseText } from '../../../../src/jobs/model/jobText';
import { followRental, type JobRentalDeps } from '../../../../src/jobs/store/jobRental';
import { fromDollars } from '../../../../src/model/money';
import type { Rental } from '../../../../src/store/rentals/rentalStore';
import { formatText, text } from '../../../../src/util/text';
import { anInstance, anOffer } from '../../../support/builders';
import { aJobRow, jobNow, minuteMs } from '../../../support/jobRow';
import { becomesReady, jobWindowScene, type JobWindowScene } from '../../../support/jobWindowScene';
import { aJob, aRentedJob, CutConnection, FakeMachine } from '../../../support/jobWindows';
import { only } from '../../../support/only';
import { rentalRequest as request } from '../../../support/rentalRequest';

const minute = 60_000;
const rentedId = 6001;

describe('A machine that is rented for a job', () => {
  let { service, computer, machine, window, pass, open } = {} as JobWindowScene;
  let job = '';
  beforeEach(async () => {
    ({ service, computer, machine, window, pass, open } = await jobWindowScene(new FakeMachine(), {
      offers: [anOffer()],
    }));
    job = '';
  });
  afterEach(() => computer.dispose());

  const state = () => window.row(job).state;

  /** Rents as the confirmation does. */
  function rent(fields: Readonly<Record<string, unknown>> = {}) {
    const beforeSent = async ({ marker }: { readonly marker: string }) => {
      job = (await window.jobs.order(aRentedJob({ marker }, fields), ['train.py'])).id;
    };
    return computer.clock.through(window.rentals.rent(request, { beforeSent }));
  }

  const getsReady = (id = rentedId) => becomesReady({ service, computer, window }, id);

  it('is noted with the job before the request leaves', async () => {
    let noted: unknown;
    service.before = (call) => {
      if (call === 'offers.rent') {
        noted = window.jobs.find(job)?.job.rental?.marker;
      }
    };
    await rent();
    assert.match(String(noted), /^[0-9a-f]{8}$/);
    assert.equal(window.rentals.find(rentedId)?.marker, noted);
  });

  it('runs the job once it is ready, and is destroyed after its outputs are here', async () => {
    await rent();
    await pass(5_000);
    assert.deepEqual([state().phase, state().machine?.instanceId], ['gettingReady', rentedId]);
    assert.equal(machine.calls.length, 0);
    await getsReady();
    assert.equal(state().phase, 'running');
    // Two hours, the grace time, and an hour for what comes before and after.
    assert.equal(machine.guardSeconds, 2 * 3600 + 120 + 3600);
    machine.ends({ code: 0, why: 'itself' });
    await pass(5 * minute);
    assert.deepEqual([state().phase, state().outcome], ['over', 'destroyed']);
    assert.equal(machine.fetched, 'hash-of-list');
    assert.deepEqual([service.count('offers.rent'), service.count('instances.destroy')], [1, 1]);
  });

  it('is destroyed where it never answered and the job is stopped, because nothing ever began there', async () => {
    machine.cut();
    await rent({ whenDone: { failure: 'destroy' } });
    await getsReady();
    await pass(minute);
    assert.equal(state().phase, 'connecting');
    await window.jobs.stop(job);
    await pass(5 * minute);
    assert.deepEqual([state().outcome, service.count('instances.destroy')], ['destroyed', 1]);
  });

  it('is guarded later where its guard could not prove itself at first, and not once it is to be kept', async () => {
    const { arm } = machine.guard;
    machine.guard.arm = () => Promise.resolve(false);
    await rent();
    await getsReady();
    assert.deepEqual([state().phase, state().guardedUntil], ['running', undefined]);
    await pass(11 * minute);
    assert.equal(state().guardedUntil, undefined);
    machine.guard.arm = arm;
    await window.jobs.endMachine(job, 'keep');
    await pass(11 * minute);
    assert.equal(machine.guardSeconds, undefined);
    await window.jobs.endMachine(job, 'stop');
    await pass(11 * minute);
    assert.ok((state().guardedUntil ?? 0) > computer.clock.now());
    assert.notEqual(machine.guardSeconds, undefined);
  });

  it('no longer stops by itself once it is kept', async () => {
    await rent({ whenDone: { success: 'keep' } });
    await getsReady();
    await pass(5_000);
    assert.notEqual(machine.guardSeconds, undefined);
    machine.ends({ code: 0, why: 'itself' });
    await pass(5 * minute);
    assert.deepEqual([state().outcome, machine.guardSeconds], ['kept', undefined]);
  });

  it('that is kept though its guard can’t be disarmed is never called one that is not stopped yet', async () => {
    await rent({ whenDone: { success: 'keep' } });
    await getsReady();
    const noticed = machine.guard.disarm;
    machine.guard.disarm = () => Promise.reject(new CutConnection());
    machine.ends({ code: 0, why: 'itself' });
    await pass(minute);
    assert.equal(
      formatText(phaseText(window.row(job))),
      'machine kept, but it may still stop by itself, retrying',
    );
    assert.deepEqual(window.noticeKinds(), ['ended']);
    await pass(5 * minute);
    assert.deepEqual(window.noticeKinds(), ['ended', 'stillGuarded']);
    machine.guard.disarm = noticed;
    await pass(10 * minute);
    assert.deepEqual([state().outcome, machine.guardSeconds], ['kept', undefined]);
    assert.deepEqual(window.noticeKinds(), ['ended', 'stillGuarded']);
  });

  it('is kept as well for a job that was added to it', async () => {
    await rent();
    await getsReady();
    const added = aJob(rentedId, { whenDone: { success: 'keep' } });
    const later = (await window.jobs.order(added, ['train.py'])).id;
    await window.jobs.endMachine(later, 'keep');
    await pass(minute);
    machine.ends({ code: 0, why: 'itself' });
    await pass(5 * minute);
    machine.ends({ code: 0, why: 'itself' });
    await pass(5 * minute);
    assert.deepEqual([window.row(later).state.outcome, machine.guardSeconds], ['kept', undefined]);
  });

  it('is found again after a lost answer, and never rented twice', async () => {
    service.failsBefore('offers.rent', () => new RentOutcomeUnknownError(new Error('reset')));
    const renting = rent();
    await pass(1_000);
    assert.equal(state().phase, 'renting');
    const marker = window.row(job).job.rental?.marker;
    service.instances = [anInstance({ id: 7001, label: `training [gr-${marker}]` })];
    assert.equal((await renting).kind, 'rented');
    await pass(5_000);
    assert.deepEqual([state().phase, state().machine?.instanceId], ['gettingReady', 7001]);
    assert.equal(service.count('offers.rent'), 1);
  });

  it('that was refused starts nothing', async () => {
    service.failsBefore('offers.rent', () => new GoneError(new Error('taken')));
    await assert.rejects(rent());
    await pass(5_000);
    assert.deepEqual([state().phase, state().outcome], ['over', 'notStarted']);
    assert.deepEqual(window.noticeKinds(), ['notStarted']);
  });

  it('is one of several whose window is gone before its turn: it is not sent, and the job shows that', async () => {
    const { hub, owned } = await computer.openSignedIn();
    const order = aRentedJob({ marker: '0123abcd', by: hub.windowId });
    job = (await window.jobs.order(order, ['train.py'])).id;
    await pass(5 * minute);
    assert.deepEqual([state().phase, await window.jobs.awaitsRental(job)], ['renting', true]);
    owned.dispose();
    await pass(5_000);
    assert.deepEqual([state().phase, await window.jobs.awaitsRental(job)], ['renting', false]);
    computer.clock.jump(-24 * 60 * minute);
    await pass(minute);
    assert.deepEqual([state().phase, state().outcome], ['over', 'notStarted']);
    assert.equal(state().why?.template, 'Its window closed before a machine was rented for it.');
    assert.deepEqual([window.noticeKinds(), service.count('offers.rent')], [['notStarted'], 0]);
  });

  it('is given up for good, also where the window that hung then stores the progress of before', async () => {
    const { hub, owned } = await computer.openSignedIn();
    const order = aRentedJob({ marker: '0123abcd', by: hub.windowId });
    job = (await window.jobs.order(order, ['train.py'])).id;
    await pass(5_000);
    const before = state();
    owned.dispose();
    await pass(minute);
    assert.equal(state().outcome, 'notStarted');
    await window.jobs.putState(before);
    assert.deepEqual([state().phase, await window.jobs.awaitsRental(job)], ['renting', false]);
    assert.equal(await window.jobs.rentedBy(job, '0123abce'), false);
    await window.fleet.refresh();
    await pass(minute);
    assert.deepEqual([state().phase, state().outcome], ['over', 'notStarted']);
    assert.deepEqual(window.noticeKinds(), ['notStarted']);
  });

  it('is not reported as none if the file of its rental is damaged and its window is gone', async () => {
    const { hub, owned } = await computer.openSignedIn();
    const order = aRentedJob({ marker: '0123abcd', by: hub.windowId });
    const file = path.join(
      computer.storageDir,
      'accounts',
      window.accounts.active?.key ?? '',
      path.join('rentals', '0123abcd.json'),
    );
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '{"version":1');
    job = (await window.jobs.order(order, ['train.py'])).id;
    await pass(5_000);
    assert.equal(state().phase, 'renting');
    owned.dispose();
    await pass(5_000);
    assert.deepEqual([state().phase, state().outcome], ['over', 'notStarted']);
    assert.match(
      state().why?.template ?? '',
      /^The file of its rental is damaged\. A machine may have been rented for it\./,
    );
    assert.deepEqual([window.noticeKinds(), service.count('offers.rent')], [['notStarted'], 0]);
  });

  it('is followed where its rental was noted right before the window was gone', async () => {
    const { hub, owned } = await computer.openSignedIn();
    const marker = '0123abcd';
    const order = aRentedJob({ marker, by: hub.windowId });
    job = (await window.jobs.order(order, ['train.py'])).id;
    owned.dispose();
    await pass(5_000);
    assert.equal(await window.jobs.awaitsRental(job), false);
    await computer.clock.through(window.rentals.rent(request, { marker }));
    await pass(minute);
    assert.deepEqual([state().phase, state().machine?.instanceId], ['gettingReady', rentedId]);
  });

  it('that is refused ends no job that its window may still give to another machine', async () => {
    const { hub, owned } = await computer.openSignedIn();
    await rent();
    const marker = '0123abcd';
    const order = aRentedJob({ marker, by: hub.windowId });
    const [taken, left] = await Promise.all([1, 2].map(() => window.jobs.order(order, ['train.py'])));
    assert.ok(taken && left);
    service.failsBefore('offers.rent', () => new GoneError(new Error('taken')));
    await assert.rejects(computer.clock.through(window.rentals.rent(request, { marker })));
    await pass(minute);
    assert.equal(window.row(taken.id).state.phase, 'renting');
    await window.jobs.rentedBy(taken.id, window.row(job).job.rental?.marker ?? '');
    owned.dispose();
    await pass(minute);
    assert.deepEqual(
      [taken, left].map(({ id }) => window.row(id).state.machine?.instanceId),
      [rentedId, undefined],
    );
    assert.equal(window.row(left.id).state.outcome, 'notStarted');
    assert.ok(window.row(taken.id).job.orderedAt > window.row(left.id).job.orderedAt);
  });

  it('has a mark of its own: none is sent with one that was used', async () => {
    await rent();
    const marker = window.row(job).job.rental?.marker;
    await assert.rejects(computer.clock.through(window.rentals.rent(request, { marker })), /was used before/);
    assert.equal(service.count('offers.rent'), 1);
  });

  it('is released as after a failure where the job is stopped before it is ready', async () => {
    await rent({ whenDone: { failure: 'destroy' } });
    await pass(5_000);
    const shown = () => formatText(phaseText(window.row(job)));
    let isRefused = true;
    service.before = (call) => {
      if (isRefused && call === 'instances.destroy') {
        throw new CutConnection();
      }
    };
    await window.jobs.stop(job);
    await pass(minute);
    assert.equal(
      formatText(phaseText({ ...window.row(job), state: { ...state(), trouble: undefined } })),
      'canceled, ending the machine',
    );
    isRefused = false;
    await pass(10 * minute);
    assert.deepEqual([state().phase, state().outcome, shown()], ['over', 'destroyed', 'canceled']);
    assert.equal(machine.starts, 0);
  });

  it('that does not get ready waits for the user, and another replaces it', async () => {
    await rent();
    await pass(5_000);
    const first = window.rentals.find(rentedId);
    assert.ok(first);
    const at = computer.clock.now();
    const failed = { kind: 'failed', instanceId: rentedId, at, reason: 'exited' } as const;
    await window.rentals.update(first.marker, { phase: failed });
    await pass(5_000);
    assert.equal(state().trouble?.kind, 'notReady');
    assert.deepEqual(window.noticeKinds(), ['notReady']);
    await computer.clock.through(window.rentals.rent({ ...request, replaces: first.marker }));
    await pass(5_000);
    assert.deepEqual(
      [state().phase, state().machine?.instanceId, state().trouble],
      ['gettingReady', 6002, undefined],
    );
    await getsReady(6002);
    assert.equal(state().phase, 'running');
  });

  it('is followed by the next window where the one that rented it was killed', async () => {
    await rent();
    window.owned.dispose();
    window = await open();
    await pass(minute);
    assert.deepEqual([state().phase, state().machine?.instanceId], ['gettingReady', rentedId]);
    assert.ok((state().machine?.perHour ?? 0) <= fromDollars(1));
  });

  it('that was stopped just before the editor closed is not forgotten', async () => {
    await rent({ whenDone: { failure: 'destroy' } });
    await window.jobs.stop(job);
    window.owned.dispose();
    window = await open();
    await pass(5 * minute);
    assert.deepEqual([state().phase, state().outcome], ['over', 'destroyed']);
    assert.equal(service.count('instances.destroy'), 1);
  });
});

describe('The last look before a job is given up', () => {
  const marker = '0123abcd';
  const rental = only<Rental>({ marker, phase: { kind: 'notRented', reason: text('It was canceled.') } });
  const look = (
    given: Partial<JobRental>,
    read: readonly (Rental | undefined)[],
    peers: readonly string[],
  ) => {
    const left = [...read];
    const deps = only<JobRentalDeps>({
      rentals: { rentals: [], damaged: new Map(), reread: () => Promise.resolve(left.shift()) },
      hub: { windowId: 'this', peers: new Set(peers) },
      clock: { now: () => jobNow },
      jobs: { giveUpRental: () => Promise.resolve(true) },
    });
    const job = { rental: { marker, by: 'other', ...given } };
    return followRental(deps, aJobRow({ phase: 'renting', unrentedSince: jobNow - minuteMs }, { job }));
  };

  it('sees a rental that its window noted in that moment', async () => {
    assert.equal((await look({}, [undefined, undefined], [])).event?.kind, 'notStarted');
    assert.equal((await look({}, [undefined, rental], [])).event, undefined);
  });

  it('leaves the job to no window that returns after it', async () => {
    assert.equal((await look({}, [rental], ['other'])).event, undefined);
    assert.equal((await look({ isGivenUp: true }, [rental], ['other'])).event?.kind, 'notStarted');
  });
});
