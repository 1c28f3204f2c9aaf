import assert from 'node:assert/strict';
import { RefusedError } from '../../../../src/api/errors';
import { canResume, isAtRest } from '../../../../src/workspaces/model/parking';
import { parkingScene } from '../../../support/parkingScene';
import { seeded, sized } from '../../../support/seeded';

type Window = Awaited<ReturnType<Awaited<ReturnType<typeof parkingScene>>['open']>>;

/** The blows of one run end after so many, so that each run has an end. */
const mostBlows = 12;

const cloud = { connectionId: 4411, name: 'checkpoints', folder: '/bucket/kept' };

/** Parks a folder, moves it, or parks and resumes it, under random faults. Returns what broke a rule. */
async function play(seed: number): Promise<readonly string[]> {
  const random = seeded(seed);
  const upTo = (most: number) => Math.floor(random() * most);
  const scene = await parkingScene();
  const { computer, folders, service } = scene;
  const windows: Window[] = [];
  /** Where each rental was confirmed. */
  const renters = new Map<string, Window>();
  const row = () => windows.at(-1)?.parkings.rows[0];
  const open = async () => {
    windows.push(await scene.open());
  };
  let blows = 0;
  let version = 0;
  const blow = (at: string): unknown => {
    if (blows >= mostBlows || random() > 0.35) {
      return undefined;
    }
    blows += 1;
    switch (upTo(6)) {
      case 0: {
        // The one that leads does all but rent.
        const victim = at.startsWith('rent') ? renters.get(row()?.set.rental?.marker ?? '') : windows[0];
        if (!victim || !windows.includes(victim)) {
          return undefined;
        }
        windows.splice(windows.indexOf(victim), 1);
        victim.close();
        return new Promise(() => undefined);
      }
      case 1:
        return Promise.reject(new Error('The line was cut.'));
      case 2:
        return at.startsWith('destroy') || at === 'rent before'
          ? Promise.reject(new RefusedError({ code: 'no', status: 400 }))
          : undefined;
      case 3:
        computer.clock.jump((random() - 0.5) * 30 * 86_400_000);
        return undefined;
      case 4:
        // What changes after the last look, right before the request, can't be saved by anything.
        if (folders.there.has(5001) && !/^(?:changed after|destroy)/.test(at)) {
          version += 1;
          folders.there.set(5001, `version ${version}`);
        }
        return undefined;
      default:
        return undefined;
    }
  };
  folders.trouble = (call, when) => blow(`${call} ${when}`);
  // Also while the request waits in its window.
  const { wait, after } = service;
  service.wait = async (call) => {
    await (call === 'offers.rent' ? blow('rent before') : wait(call));
  };
  service.after = async (call) => {
    await (call === 'offers.rent' ? blow('rent after') : after(call));
  };
  const ready = async () => {
    for (const window of windows) {
      for (const { marker, phase } of window.rentals.rentals) {
        const instanceId = phase.kind === 'waiting' ? phase.instanceId : undefined;
        if (instanceId !== undefined && !window.hub.isLeader) {
          continue;
        }
        if (instanceId !== undefined) {
          folders.there.set(instanceId, folders.there.get(instanceId) ?? '');
          service.instances = service.instances.map((one) =>
            one.id === instanceId ? { ...one, actualStatus: 'running', uptimeMinutes: 9 } : one,
          );
          await window.rentals.update(marker, {
            phase: { kind: 'ready', instanceId, at: computer.clock.now() },
          });
        }
      }
    }
  };
  const problems: string[] = [];
  /** Each window confirms, again and again, until the set is on an instance. */
  const resume = async (id: string): Promise<readonly string[]> => {
    let markers = 0;
    for (let turn = 0; turn < 400 && row()?.state.resumed === undefined; turn += 1) {
      if (windows.length === 0) {
        await open();
      }
      const now = row();
      if (now && !now.state.resumed && isAtRest(now) && canResume(now.state)) {
        for (const one of windows) {
          markers += 1;
          const next = (0x0a0a0a0a + markers).toString(16).padStart(8, '0');
          renters.set(next, one);
          void one.resume(id, next).catch(() => undefined);
        }
      }
      await computer.clock.advance(20_000);
      await ready();
    }
    const { resumed, phase } = row()?.state ?? {};
    const here = folders.here.get(id);
    return [
      ...(here === undefined ? ['what was parked is gone'] : []),
      ...(resumed && folders.there.get(resumed.instanceId) === here ? [] : [`not resumed, but ${phase}`]),
    ];
  };
  try {
    await open();
    if (random() < 0.5) {
      await open();
    }
    const plan = (['park', 'move', 'rescue'] as const)[upTo(3)] ?? 'park';
    const isResumed = plan === 'park' && random() < 0.7;
    const isCopied = plan === 'park' && random() < 0.4;
    const marker = '0a0a0a0a';
    const [window] = windows;
    assert.ok(window);
    const { onCopy } = service;
    service.onCopy = (from, to) => {
      if (random() < 0.7) {
        onCopy(from, to);
      }
    };
    const status = (statusMessage: string) => {
      service.instances = service.instances.map((one) => ({ ...one, statusMessage }));
    };
    service.onCloudCopy = () => {
      status('Cloud copy started.');
    };
    renters.set(marker, window);
    const { id } = await window.park({
      plan,
      ...(isCopied ? { cloud } : {}),
      isByService: plan === 'move' && random() < 0.5,
      ...(plan === 'park' ? {} : { rental: { marker, accountKey: window.accountKey } }),
    });
    if (plan !== 'park') {
      void window.rent(marker).catch(() => undefined);
    }
    const isOver = () => {
      const { phase, resumed } = row()?.state ?? {};
      return phase === 'parked' || (plan === 'rescue' && resumed !== undefined);
    };
    for (let turn = 0; turn < 400 && !isOver(); turn += 1) {
      if (windows.length === 0) {
        await open();
      }
      await computer.clock.advance(20_000);
      await ready();
      const { trouble, phase } = row()?.state ?? {};
      if (phase === 'copying' && random() < 0.2) {
        status(random() < 0.5 ? 'Cloud Copy Operation Finished' : 'Cloud copy failed: no such bucket');
      }
      if (trouble && trouble.nextTryAt === undefined) {
        await windows.at(-1)?.parkings.goOn(id);
      }
      if (trouble && plan === 'move' && phase === 'proved') {
        // Files of the old instance changed: the user decides, and the run ends with both instances.
        break;
      }
    }
    if (isResumed && row()?.state.phase === 'parked') {
      blows = 0;
      problems.push(...(await resume(id)));
    }
    const state = row()?.state;
    problems.push(...folders.violations);
    const content = [...folders.there.values(), ...folders.here.values()];
    if (!content.includes(version === 0 ? 'first' : `version ${version}`)) {
      problems.push(`version ${version} is nowhere`);
    }
    if (service.rented.length > (plan !== 'park' || isResumed ? 1 : 0)) {
      problems.push('a second rental');
    }
    if (state?.phase === 'parked' && service.instances.some(({ id: one }) => one === 5001)) {
      problems.push('it counts as parked, and its instance still costs money');
    }
    if (service.count('copies.begin') > 1) {
      problems.push('a second copy of the service');
    }
    const isCopyTold = state?.copy?.endedAt !== undefined || state?.copy?.why !== undefined;
    if (isCopied && state?.phase === 'parked' && !isCopyTold) {
      problems.push('nothing is said of the second copy');
    }
    if (plan === 'rescue' && (state?.provedAt !== undefined || service.count('instances.destroy') > 0)) {
      problems.push('a rescue called its old instance proved');
    }
    if (!isOver() && state?.trouble === undefined) {
      problems.push(`it ended as ${state?.phase}, without a word`);
    }
    return problems;
  } finally {
    windows.forEach((one) => {
      one.close();
    });
    await computer.dispose();
  }
}

describe('Parked workspaces under random faults', () => {
  it('lose no file, destroy nothing that is not proved, and always reach a state that shows what to do', async function () {
    this.timeout(600_000);
    const runs = sized(12, 1000);
    for (let seed = 1; seed <= runs; seed += 1) {
      assert.deepEqual(await play(seed), [], `seed ${seed}`);
    }
  });
});
