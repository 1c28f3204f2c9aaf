import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { failureSentence, hostSentences } from '../../../../src/editor/failureText';
import type { ReadinessDeps } from '../../../../src/features/readiness/deps';
import { ReadinessNotifications } from '../../../../src/features/readiness/notifications';
import type { Instance } from '../../../../src/model/instances/instance';
import { fromDollars } from '../../../../src/model/money';
import type { CheckResult, MachineProblem } from '../../../../src/model/rentals/machineCheck';
import type { StartEvent } from '../../../../src/store/rentals/startEvent';
import { anInstance, anOffer } from '../../../support/builders';
import { proved } from '../../../support/machineChecks';
import { textsOn, useScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';

const now = new Date(2026, 0, 15, 12).getTime();
const hour = 3_600_000;

describe('The words of a failed start', () => {
  it('show what failed and the text of the host', () => {
    const reasons = ['exited', 'unknown', 'offline', 'gaveUp', 'timedOut'] as const;
    assert.deepEqual(
      reasons.map((reason) => failureSentence('trainer', reason, undefined)),
      [
        'trainer will not get ready: its container ended.',
        'trainer will not get ready: its host sends no heartbeat.',
        'trainer will not get ready: its host is disconnected.',
        'trainer will not get ready: its host gave up starting it.',
        'trainer did not get ready in time. It may still become ready.',
      ],
    );
    assert.match(failureSentence('trainer', 'exited', 'x'), / The host says: x\.$/);
    for (const end of ['.', '!', '?', '…']) {
      assert.ok(failureSentence('trainer', 'exited', `odd${end}`).endsWith(`says: odd${end}`));
    }
    assert.equal(failureSentence('trainer', 'exited', '').includes('host says'), false);
    assert.ok(failureSentence('trainer', 'exited', 'x'.repeat(999)).length < 400);
  });

  it('explain texts of hosts about images, registries, disks and drivers', () => {
    const said = [
      'manifest for a/b not found',
      'manifest unknown',
      'pull access denied for a/b',
      'unauthorized: authentication required',
      'toomanyrequests: rate limit',
      'no space left on device',
      'OCI runtime create failed',
      'could not select device driver "nvidia"',
      'success, running a/b',
    ];
    assert.deepEqual(
      said.map((words) => hostSentences(words)[1]),
      [
        'The image does not exist or needs a login: check its name and tag.',
        'The image does not exist or needs a login: check its name and tag.',
        'The image does not exist or needs a login: check its name and tag.',
        'The image registry refused the login.',
        'The image registry does not allow this host more downloads for now. Another host may work.',
        'The disk is too small for the image: rent again with a bigger one.',
        'The host has a problem with its GPU driver or containers. Another host may work.',
        'The host has a problem with its GPU driver or containers. Another host may work.',
        undefined,
      ],
    );
  });
});

describe('The message about a machine that was rented', () => {
  const screen = useScreen();
  let instance: Instance | undefined;
  let rental: object | undefined;
  let openWindows: readonly string[] = [];
  const remembered: object[] = [];
  const logged: string[] = [];
  const deps = {
    accounts: { active: { key: 'mine' } },
    clock: { now: () => now },
    connectedWindows: { isOpen: (alias: string) => openWindows.includes(alias) },
    failedMachines: { remember: (machine: object) => Promise.resolve(void remembered.push(machine)) },
    fleet: { find: () => instance, facts: () => ({}) },
    log: { info: (line: string) => logged.push(line), error: (line: string) => logged.push(line) },
    machineProofs: { ready: Promise.resolve(), find: () => undefined },
    rentals: { find: () => rental },
    ssh: { aliasOf: (_: object, id: number) => `gpu-${id}` },
  } as unknown as ReadinessDeps;
  const followed = new Set<number>();
  const all = new ReadinessNotifications(deps, (id) => followed.has(id));
  const searched = { search: {}, offer: anOffer({ gpuRamMb: 24_564 }), phase: { kind: 'ready', at: now } };
  const said = async (event: StartEvent) => {
    await all.show(event);
    await setImmediate();
    return textsOn(screen).join('\n');
  };
  const id = { instanceId: 7 } as const;
  const prices = { pricePerHour: fromDollars(0.6), mostPerHour: fromDollars(0.5) };
  const dear = { ...id, kind: 'tooDear', ...prices } as const;

  beforeEach(() => {
    instance = anInstance({ id: 7, label: 'trainer' });
    rental = searched;
    openWindows = [];
    followed.clear();
  });

  const table: readonly (readonly [said: string, event: StartEvent])[] = [
    ['info trainer is ready. [Connect]', { ...id, kind: 'ready' }],
    [
      'info trainer is ready. 1× RTX 4090, 24 GB · GPU and disk OK [Connect]',
      { ...id, kind: 'ready', check: proved },
    ],
    [
      'info trainer is running, but its login and GPUs could not be checked: no SSH key of this computer is registered. [Connect, Check Again]',
      { ...id, kind: 'ready', check: { kind: 'notChecked', reason: 'noKey' } },
    ],
    [
      'warning trainer was outbid and is paused. It runs again when your bid is the highest; storage still costs $0.120/day. [Change Bid…, Move…, Download…, Stop Waiting, Destroy…]',
      { ...id, kind: 'trouble', trouble: 'outbid' },
    ],
    [
      'warning The host of trainer is disconnected. Its data may come back with it; storage still costs $0.120/day. [Replace, Destroy…]',
      { ...id, kind: 'trouble', trouble: 'offline' },
    ],
    [
      'warning The host of trainer sends no heartbeat. Its data may come back with it; storage still costs $0.120/day. [Replace, Destroy…]',
      { ...id, kind: 'trouble', trouble: 'unknown' },
    ],
    [
      'warning trainer has exited. Its data is kept; storage still costs $0.120/day. [Replace, Destroy…]',
      { ...id, kind: 'trouble', trouble: 'exited' },
    ],
    [
      'warning The service listed old again after you destroyed it, so it was destroyed again. You may be charged for the time between. []',
      { ...id, kind: 'destroyedAgain', name: 'old' },
    ],
    [
      'error trainer was destroyed, but the service lists it again. It costs money. [Destroy…]',
      { ...id, kind: 'notDestroyed' },
    ],
    [
      'warning trainer cost $0.600/h, and you confirmed at most $0.500/h. It was destroyed. [Search Offers…]',
      { ...dear, verdict: 'destroyed' },
    ],
    [
      'error trainer costs $0.600/h, and you confirmed at most $0.500/h. Could not confirm that it is destroyed, so you may still be charged. [Destroy…]',
      { ...dear, verdict: 'notConfirmed' },
    ],
    [
      'error trainer costs $0.600/h, and you confirmed at most $0.500/h. It may have run before the service stated its price, so it was not destroyed. [Destroy…]',
      { ...dear, verdict: 'kept' },
    ],
  ];
  for (const [words, event] of table) {
    it(`at ${JSON.stringify(event)}: ${words}`, async () => {
      assert.equal(await said(event), words);
    });
  }

  it('states until when the data of an outbid machine is kept, if that is known', async () => {
    instance = anInstance({ id: 7, label: 'trainer', endsAt: (now + 30 * hour) / 1000 });
    assert.match(
      await said({ ...id, kind: 'trouble', trouble: 'outbid' }),
      /data is kept until the rental ends in 1 d/,
    );
    assert.doesNotMatch(await said({ ...id, kind: 'trouble', trouble: 'offline' }), /data is kept until/);
    instance = anInstance({ id: 7, label: 'trainer', endsAt: (now - hour) / 1000 });
    assert.doesNotMatch(await said({ ...id, kind: 'trouble', trouble: 'outbid' }), /data is kept until/);
  });

  it('offers no replacement of a machine that was not rented by a search', async () => {
    rental = undefined;
    assert.match(await said({ ...id, kind: 'trouble', trouble: 'offline' }), /\[Destroy…\]$/);
    const check = { kind: 'unproved', stage: 'login', problem: 'refused' } as const;
    assert.match(await said({ ...id, kind: 'ready', check }), /\[Destroy…, Connect, Keep It\]$/);
  });

  it('has no SSH where its run type is args', async () => {
    instance = anInstance({ id: 7, label: 'trainer', runtype: 'args' });
    assert.equal(
      await said({ ...id, kind: 'ready' }),
      'info trainer is running. It has no SSH, as its run type is args. [Show Log of Instance]',
    );
  });

  it('is left to the place that follows it while all is well, and a problem is shown anyway', async () => {
    followed.add(7);
    assert.equal(await said({ ...id, kind: 'ready', check: proved }), '');
    const check = { kind: 'unproved', stage: 'login', problem: 'refused' } as const;
    assert.notEqual(await said({ ...id, kind: 'ready', check }), '');
  });

  it('is left to the window of the machine, except for what that can’t see', async () => {
    openWindows = ['gpu-7'];
    assert.equal(await said({ ...id, kind: 'trouble', trouble: 'offline' }), '');
    assert.notEqual(await said({ ...id, kind: 'notDestroyed' }), '');
    openWindows = ['gpu-8'];
    assert.notEqual(await said({ ...id, kind: 'trouble', trouble: 'offline' }), '');
  });

  it('shows each reason why a login is impossible, and offers a key if one is refused', async () => {
    const problems: readonly MachineProblem[] = ['refused', 'authentication', 'hostKeyChanged'];
    const shown = [];
    for (const problem of problems) {
      const check: CheckResult = { kind: 'unproved', stage: 'login', problem };
      shown.push(await said({ ...id, kind: 'ready', check }));
    }
    assert.deepEqual(shown, [
      'warning trainer is running, but its SSH port is closed. The image may have no SSH server. [Replace, Connect, Keep It]',
      'warning trainer is running, but it refuses the SSH key of this computer. [Replace, Attach SSH Key…, Connect, Keep It]',
      'warning trainer is running, but its host key has changed: another machine may answer at its address. [Replace, Connect, Keep It]',
    ]);
  });

  it('warns of less than was rented, and remembers a machine that was replaced for it', async () => {
    const weaker: CheckResult = {
      ...proved,
      proof: { ...proved.proof, gpus: [{ name: 'NVIDIA GeForce RTX 3060', memoryMb: 12_288 }] },
    };
    remembered.length = 0;
    assert.equal(
      await said({ ...id, kind: 'ready', check: weaker }),
      'warning trainer is running, but it is not what was rented: RTX 3060 instead of RTX 4090, 12 GB of GPU memory instead of 24 GB. [Replace, Connect, Keep It]',
    );
    assert.deepEqual(remembered, [
      {
        machineId: 178,
        at: now,
        reason: 'RTX 3060 instead of RTX 4090, 12 GB of GPU memory instead of 24 GB',
      },
    ]);
    const full: CheckResult = {
      ...proved,
      proof: { ...proved.proof, disk: only({ freeGb: 0.2, sizeGb: 200 }) },
    };
    rental = { ...searched, phase: { kind: 'ready', at: now - hour } };
    assert.equal(
      await said({ ...id, kind: 'ready', check: full }),
      'warning trainer is running, but the disk is full (200 MB free). [Connect]',
    );
  });

  it('shows how the rental without an answer ended', () => {
    all.settled(only({ phase: { kind: 'notRented' } }));
    all.settled(only({ phase: { kind: 'waiting', instanceId: 7 } }));
    assert.deepEqual(textsOn(screen), [
      'info Checked the rental that had no answer: no instance with its label exists, so nothing was rented. [Search Offers…]',
      'info Found the rental that had no answer: instance #7 exists and costs money. [Show Instances]',
    ]);
  });

  it('shows what became of a replacement that was broken off', () => {
    for (const isDestroyed of [true, false]) {
      all.brokenOff(
        only({
          rental: { ...searched, config: { label: 'old' } },
          instanceId: 7,
          isDestroyed,
        }),
      );
    }
    instance = undefined;
    for (const label of ['old', '']) {
      all.brokenOff(
        only({
          rental: { ...searched, config: { label } },
          instanceId: 7,
          isDestroyed: true,
        }),
      );
    }
    assert.deepEqual(textsOn(screen), [
      'warning trainer is destroyed, but the window closed before a replacement was rented. [Rent Next Best, Search Offers…]',
      'warning trainer was not replaced, because the window closed first. Until it is destroyed, storage costs $0.120/day. [Destroy and Rent Next Best, Destroy…]',
      'warning old is destroyed, but the window closed before a replacement was rented. [Rent Next Best, Search Offers…]',
      'warning #7 is destroyed, but the window closed before a replacement was rented. [Rent Next Best, Search Offers…]',
    ]);
  });
});
