import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CommandTable } from '../../src/editor/commands';
import type { Services } from '../../src/services';
import { accountPath } from '../../src/store/accounts/accountFiles';
import { WorkOnInstances } from '../../src/store/instances/workOnInstances';
import { startWings, type LaterWing } from '../../src/wing';
import { computerScene, type ComputerScene } from '../support/computerScene';
import { openScreen } from '../support/onScreen';
import { only } from '../support/only';
import { until } from '../support/until';

describe('A wing that starts when it is used', () => {
  let { computer } = {} as ComputerScene;
  beforeEach(async () => {
    ({ computer } = await computerScene());
  });
  afterEach(() => computer.dispose());

  /** Opens a window with such a wing. */
  async function open(fails = 0, more: Partial<LaterWing> = {}, before: readonly LaterWing[] = []) {
    const screen = openScreen();
    const window = await computer.openSignedIn();
    const { log, storageDir } = computer;
    const commands = new CommandTable(() => undefined);
    const work = window.owned.add(new WorkOnInstances());
    let [loads, starts] = [0, 0];
    const wing: LaterWing = {
      name: 'jobs',
      stored: 'jobs',
      document: '/.vscode/gpu-rental.json',
      load: () => {
        loads += 1;
        return loads <= fails
          ? Promise.reject(new Error('no file'))
          : Promise.resolve({
              name: 'jobs',
              start: () => {
                starts += 1;
                commands.register('gpuRental.job.tasks', () => []);
                return {};
              },
            });
      },
      ...more,
    };
    startWings([...before, wing], only<Services>({ ...window, commands, log, storageDir, work }), (one) =>
      window.owned.add(one),
    );
    await until('the disk was looked at', () => work.isPending === false, { everyMs: 5 });
    const key = window.accounts.active?.key ?? '';
    return { ...window, screen, commands, work, key, counts: () => [loads, starts] };
  }

  it('is not read where nothing is stored', async () => {
    const { counts, work } = await open();
    assert.deepEqual([counts(), work.isPending], [[0, 0], false]);
  });

  it('starts with its first command, and makes the other windows start it', async () => {
    const [one, other] = [await open(), await open()];
    assert.deepEqual(await one.commands.run('gpuRental.job.tasks', []), []);
    await until('the other has it', () => other.counts()[1] === 1, { everyMs: 5 });
    assert.deepEqual(await one.commands.run('gpuRental.job.tasks', []), []);
    assert.deepEqual(
      [one.counts(), other.counts()],
      [
        [1, 1],
        [1, 1],
      ],
    );
  });

  it('starts in the other windows however it was started, and in one that opens afterwards', async () => {
    const [one, other] = [await open(), await open()];
    await one.work.whole();
    await until('the other has it', () => other.counts()[1] === 1, { everyMs: 5 });
    const late = await open();
    await until('the late one has it', () => late.counts()[1] === 1, { everyMs: 5 });
  });

  it('starts where the account has work on disk', async () => {
    const first = await open();
    const folder = accountPath(computer.storageDir, first.key, 'jobs');
    first.close();
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'a'), '');
    const { counts } = await open();
    await until('it has started', () => counts()[1] === 1, { everyMs: 5 });
  });

  it('starts where an account that is not active has work on disk', async () => {
    const folder = accountPath(computer.storageDir, '0123456789abcdef', 'jobs');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'a'), '');
    const { counts } = await open();
    await until('it has started', () => counts()[1] === 1, { everyMs: 5 });
  });

  it('starts with the next list if the message about work on disk was lost', async () => {
    const { counts, fleet, key } = await open();
    const folder = accountPath(computer.storageDir, key, 'jobs');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'a'), '');
    assert.deepEqual(counts(), [0, 0]);
    await fleet.refresh();
    await until('it has started', () => counts()[1] === 1, { everyMs: 5 });
  });

  it('starts when what it watches needs it', async () => {
    let begin = () => Promise.resolve(false);
    const { counts } = await open(1, { watch: (_, start) => (begin = start) });
    assert.deepEqual([await begin(), await begin(), counts()], [false, true, [2, 1]]);
  });

  it('starts what it needs first, and knows it', async () => {
    const order: string[] = [];
    const needed: LaterWing = {
      ...{ name: 'schedules', stored: 'schedules' },
      load: () =>
        Promise.resolve({ name: 'schedules', start: () => ({ schedules: order.push('schedules') }) }),
    };
    const start = (services: object) => ({ jobs: order.push(`jobs: ${'schedules' in services}`) });
    const { work } = await open(
      0,
      { needs: ['schedules'], load: () => Promise.resolve({ name: 'jobs', start }) },
      [needed],
    );
    await work.whole();
    assert.deepEqual(order, ['schedules', 'jobs: true']);
  });

  it('starts before all work must be known, and is read again after a failure', async () => {
    const { work, counts } = await open(1);
    assert.equal(await work.whole(), false);
    assert.equal(await work.whole(), true);
    assert.equal(await work.whole(), true);
    assert.deepEqual(counts(), [2, 1]);
  });
});
