import type { KernelUse } from '../../../src/notebooks/model/kernelUse';
import { timerSeconds } from '../../../src/schedules/model/schedule';
import { ServiceTimetable } from '../../../src/schedules/store/serviceTimetable';
import { TimerProofs, type ArmTimer } from '../../../src/schedules/store/timerProofs';
import { TimetableFiles } from '../../../src/schedules/store/timetableFiles';
import { accountPath } from '../../../src/store/accounts/accountFiles';
import { wait } from '../../../src/util/clock';
import { openAgentWindow, type AgentWindow } from '../../support/agentWindows';
import { aliasOf } from '../../support/scheduleWindows';
import { minute } from './ledger';
import type { World } from './world';

/** A window, and how many of its messages its user has read. */
export type Window = AgentWindow & {
  readonly timetable: ServiceTimetable;
  readonly read: { notices: number };
};

/** Opens a window whose logins reach machines, or not. */
export async function openWindow(world: World): Promise<Window> {
  const { computer, disk } = world.scene;
  const opened = await openAgentWindow(computer, disk);
  const { clock } = computer;
  const log = computer.log;
  opened.owned.add(
    new TimerProofs({
      ...{ ...opened, clock, log },
      aliasOf: (_, instanceId) => aliasOf(instanceId),
      arm: armOn(world),
      end: (_account, { id }) => {
        const machine = world.ledger.find(id);
        const isReached = machine?.isSilent === false;
        if (isReached) {
          machine.timer = undefined;
          machine.isTimerStale = false;
        }
        return Promise.resolve(isReached);
      },
      check: (_account, { id }, _schedule, { token }) => {
        const machine = world.ledger.find(id);
        return Promise.resolve(
          !machine || machine.isSilent ? 'nothing' : machine.timer?.token === token ? 'armed' : 'gone',
        );
      },
    }),
  );
  const timetable = opened.owned.add(
    new ServiceTimetable({
      ...{ ...opened, clock, log },
      isOn: () => world.mood !== 'off',
      files: (key) => new TimetableFiles(accountPath(computer.storageDir, key, 'timetable'), log),
    }),
  );
  opened.kernels.of = (id) => kernelsOf(world, id);
  opened.work.of = (id) => {
    const machine = world.ledger.find(id);
    return machine !== undefined && machine.isSaved && !machine.isSilent;
  };
  const window = { ...opened, timetable, read: { notices: 0 } };
  return window;
}

const armOn =
  (world: World): ArmTimer =>
  async (_account, { id }, { term }, token, mayStart) => {
    const machine = world.ledger.find(id);
    if (!machine || machine.state !== 'running' || machine.guard || world.dice.chance(0.2)) {
      return 'notAsked';
    }
    if (!(await mayStart())) {
      return 'notAsked';
    }
    if (world.dice.chance(0.2)) {
      return 'notArmed';
    }
    await wait(world.scene.computer.clock, world.dice.pick([0, 2000, 30_000]) ?? 0);
    if (world.ledger.find(id)?.state !== 'running') {
      return 'notKnown';
    }
    const { seconds, keptSeconds = 0 } = timerSeconds(term, world.scene.computer.clock.now());
    const keptUntil = world.time + keptSeconds * 1000 - seconds * 1000;
    machine.timer = { token, idleMs: seconds * 1000, keptUntil, idleSince: world.time };
    return world.dice.chance(0.1) ? 'notKnown' : 'armed';
  };

function kernelsOf(world: World, id: number): KernelUse {
  const machine = world.ledger.find(id);
  if (!machine || machine.isSilent) {
    return 'silent';
  }
  return world.time - machine.lastUse < machine.agreed.idleMinutes * minute ? 'busy' : 'idle';
}
