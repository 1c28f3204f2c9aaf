import assert from 'node:assert/strict';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PastRentalFiles, RentalHistory } from '../../../../src/history/store/rentalHistory';
import { fromDollars } from '../../../../src/model/money';
import { mostPastRentals, type PastRental } from '../../../../src/model/rentals/pastRental';
import { KeptLogs } from '../../../../src/store/instances/keptLogs';
import type { RentalChange } from '../../../../src/store/rentals/rentalStore';
import { silentLog } from '../../../../src/util/log';
import { anInstance, anOffer } from '../../../support/builders';
import { computerScene, passUntil, type ComputerScene } from '../../../support/computerScene';
import { useFolder } from '../../../support/useFolder';

describe('The rental history', () => {
  let { service, computer } = {} as ComputerScene;
  beforeEach(async () => {
    ({ service, computer } = await computerScene({ instances: [anInstance()] }));
  });
  afterEach(() => computer.dispose());

  async function open(
    agents: readonly (readonly [id: number, name: string])[] = [],
    rentedByAgents = (): Promise<ReadonlyMap<number, string>> => Promise.resolve(new Map(agents)),
  ) {
    const window = await computer.openSignedIn();
    const { clock, log, storageDir } = computer;
    const logs = new KeptLogs({ storageDir, clock, log, redact: (text) => text });
    const history = window.owned.add(
      new RentalHistory({ ...window, keptLogs: logs, storageDir, clock, log, work: { rentedByAgents } }),
    );
    await window.fleet.refresh();
    return { ...window, history, logs };
  }
  type Opened = Awaited<ReturnType<typeof open>>;

  const pass = (what: string, holds: () => boolean) => passUntil(computer, what, holds);
  const ended = ({ history }: Opened) => history.rows.map(({ instance, end }) => [instance.id, end]);

  it('holds an instance once it is proved to be gone, and how it ended', async () => {
    const window = await open();
    service.instances = [];
    await window.fleet.refresh();
    assert.deepEqual(ended(window), [], 'one list without it is a hint');
    await pass('it is in the history', () => window.history.rows.length === 1);
    assert.deepEqual(ended(window), [[5001, 'gone']]);
    assert.equal(window.history.find(5001)?.instance.gpuName, anInstance().gpuName);
  });

  it('distinguishes a destroyed one from one that ended by itself', async () => {
    const window = await open();
    window.fleet.note(5001, { kind: 'destroy' });
    service.instances = [];
    window.fleet.note(5001, { kind: 'destroy', tookEffect: true });
    await pass('it is in the history', () => window.history.rows.length === 1);
    assert.deepEqual(ended(window), [[5001, 'destroyed']]);
  });

  it('keeps which agent rented it', async () => {
    const window = await open([[5001, 'claude-code']]);
    service.instances = [];
    await pass('it is in the history', () => window.history.rows.length === 1);
    assert.equal(window.history.find(5001)?.agent, 'claude-code');
  });

  it('is the same in all windows and after a restart, and each end is there once', async () => {
    const window = await open();
    const other = await open();
    service.instances = [];
    await pass('both have it', () => [window, other].every(({ history }) => history.rows.length === 1));
    window.close();
    other.close();
    const later = await open();
    await pass('it was read', () => later.history.rows.length === 1);
    assert.deepEqual(ended(later), [[5001, 'gone']]);
  });

  it('finds an end that happened while no window was open', async () => {
    const window = await open();
    await computer.clock.advance(5000);
    window.close();
    service.instances = [];
    const later = await open();
    await pass('it is in the history', () => later.history.rows.length === 1);
    assert.deepEqual(ended(later), [[5001, 'gone']]);
  });

  /** Two instances have ended, the first of which is being kept, and another account is active. */
  async function switchedAfterEnds() {
    let proceed: (agents: ReadonlyMap<number, string>) => void = () => undefined;
    const agents = new Promise<ReadonlyMap<number, string>>((resolve) => {
      proceed = resolve;
    });
    const window = await open([], () => agents);
    const { accounts, fleet } = window;
    const key = accounts.active?.key ?? '';
    service.instances = [anInstance(), anInstance({ id: 5002 })];
    await fleet.refresh();
    for (const id of [5001, 5002]) {
      service.instances = service.instances.filter((one) => one.id !== id);
      await pass('its end is proved', () => fleet.hasEnded(id));
    }
    // Until the list without them is on the disk.
    await computer.clock.advance(5000);
    await accounts.signIn({ serviceUrl: 'https://other.example.com', apiKey: 'another-key' });
    const folder = join(computer.storageDir, 'accounts', key, 'history');
    return { ...window, key, folder, goOn: () => proceed(new Map([[5002, 'claude-code']])) };
  }

  it('holds what ended right before another account became active', async () => {
    const window = await switchedAfterEnds();
    window.goOn();
    await computer.clock.advance(5000);
    await window.accounts.switchTo(window.key);
    await pass('both are in the history', () => window.history.rows.length === 2);
    assert.equal(window.history.find(5002)?.agent, 'claude-code');
  });

  it('keeps nothing of an account that was signed out', async () => {
    const { accounts, key, folder, goOn } = await switchedAfterEnds();
    await accounts.signOut(key);
    goOn();
    await computer.clock.advance(5000);
    assert.deepEqual(await readdir(folder), []);
  });

  /** A machine that was rented and ends after this change of its record. */
  async function endedAfter(change: RentalChange) {
    const [window, other] = [await open(), await open()];
    service.offers = [anOffer()];
    await window.rentals.rent({
      offer: anOffer(),
      config: { image: 'i' },
      rentalType: 'on-demand',
      priceLimit: fromDollars(1),
    });
    await window.fleet.refresh();
    await window.rentals.update(window.rentals.find(6001)?.marker ?? '', change);
    await pass('both know it', () => other.rentals.find(6001)?.phase.kind === 'failed');
    service.instances = service.instances.filter(({ id }) => id !== 6001);
    await pass('it is in the history', () => window.history.find(6001) !== undefined);
    return window.history.find(6001);
  }
  const failed = { kind: 'failed', instanceId: 6001, at: 1, reason: 'exited' } as const;

  it('states why a start failed, and has read its log at once and once', async () => {
    const past = await endedAfter({ phase: { ...failed, message: 'no such image' } });
    assert.deepEqual([past?.end, past?.message], ['failed', 'no such image']);
    assert.equal(service.count('instances.logs'), 1);
  });

  it('distinguishes one that is being replaced from one that failed', async () => {
    const past = await endedAfter({ phase: failed, replacingSince: 1 });
    assert.deepEqual([past?.end, past?.message], ['replaced', undefined]);
  });

  it('continues if the disk refuses an end, which is logged', async () => {
    const window = await open();
    const folder = join(computer.storageDir, 'accounts', window.accounts.active?.key ?? '', 'history');
    await computer.clock.advance(0);
    await rm(folder, { recursive: true, force: true });
    await writeFile(folder, 'in the way');
    service.instances = [];
    await pass('it is told', () => computer.log.count('error A past rental could not be kept') > 0);
    await rm(folder);
    service.instances = [anInstance({ id: 5002 })];
    await window.fleet.refresh();
    service.instances = [];
    await pass('the next one is kept', () => window.history.find(5002) !== undefined);
  });

  it('names the files of past rentals that are damaged', async () => {
    const window = await open();
    const folder = join(computer.storageDir, 'accounts', window.accounts.active?.key ?? '', 'history');
    service.instances = [];
    await pass('it is in the history', () => window.history.rows.length === 1);
    assert.deepEqual(window.history.damaged, []);
    window.close();
    await writeFile(join(folder, '5001.json'), '{ torn');
    const later = await open();
    await pass('it is named', () => later.history.damaged.length === 1);
    assert.ok(later.history.damaged[0]?.startsWith(join(folder, '5001.json.broken-')));
  });

  it('does not hold an instance that is there again', async () => {
    const window = await open();
    const kept = service.instances;
    service.instances = [];
    await pass('it is in the history', () => window.history.rows.length === 1);
    service.instances = kept;
    await window.fleet.refresh();
    await pass('it is out of the history', () => window.history.rows.length === 0);
  });

  it('removes the oldest beyond its limit with their logs', async () => {
    const window = await open();
    const folder = join(computer.storageDir, 'accounts', window.accounts.active?.key ?? '', 'history');
    await mkdir(folder, { recursive: true });
    for (let id = 1; id <= mostPastRentals; id++) {
      const past: PastRental = { version: 1, instance: anInstance({ id }), endedAt: id, end: 'gone' };
      await writeFile(join(folder, `${id}.json`), JSON.stringify(past));
    }
    for (const id of [1, 2]) {
      await writeFile(join(folder, `${id}.log`), 'words\n');
    }
    service.instances = [];
    await pass('it is in the history', () => window.history.find(5001) !== undefined);
    const names = await readdir(folder);
    assert.equal(names.length, mostPastRentals + 1);
    assert.ok(['2.json', '2.log', '5001.json'].every((name) => names.includes(name)));
  });

  it('removes rentals with their logs', async () => {
    const window = await open();
    const key = window.accounts.active?.key ?? '';
    Object.assign(service.client.instances, { logs: () => Promise.resolve('words\n') });
    await window.logs.around(service.client, key).instances.logs(5001, {});
    service.instances = [];
    await pass('it is in the history', () => window.history.rows.length === 1);
    assert.equal(await window.history.logOf(5001), 'words\n');
    await window.history.remove([5001]);
    assert.deepEqual(ended(window), []);
    assert.deepEqual(await readdir(join(computer.storageDir, 'accounts', key, 'history')), []);
  });
});

const past = (id: number, endedAt: number): PastRental => ({
  ...{ version: 1, instance: anInstance({ id }), endedAt, end: 'gone' },
});

describe('The files of past rentals', () => {
  let folder = '';
  useFolder((made) => void (folder = made));
  const open = () => new PastRentalFiles(folder, silentLog);
  const ids = async (files: PastRentalFiles) => (await files.list()).map(({ instance }) => instance.id);

  it('give back what was written, the latest first', async () => {
    for (const [id, endedAt] of [
      [1, 20],
      [2, 30],
      [3, 10],
    ] as const) {
      await open().put(past(id, endedAt));
    }
    assert.deepEqual(await ids(open()), [2, 1, 3]);
    assert.deepEqual([await open().read(1), await open().read(4)], [past(1, 20), undefined]);
    await open().remove(1);
    assert.deepEqual(await ids(open()), [2, 3]);
  });

  it('are as many as are shown, without the oldest', async () => {
    const all = Array.from({ length: mostPastRentals + 2 }, (_, index) => index + 1);
    await Promise.all(all.map((id) => open().put(past(id, id))));
    const files = open();
    assert.deepEqual(await ids(files), [...all].reverse().slice(0, mostPastRentals));
    assert.deepEqual(await files.removeOldest(), [2, 1]);
    assert.equal((await readdir(folder)).length, mostPastRentals);
    assert.deepEqual(await files.removeOldest(), []);
  });

  it('name those that are damaged or refused, and give the others', async () => {
    await open().put(past(1, 1));
    await open().put(past(2, 2));
    await writeFile(join(folder, '2.json'), '{ torn');
    const files = open();
    assert.deepEqual(await ids(files), [1]);
    const kept = files.damaged.map((path) => path.replace(/\d+$/, ''));
    assert.deepEqual([kept, files.refused], [[join(folder, '2.json.broken-')], undefined]);
    await mkdir(join(folder, '3.json'));
    assert.deepEqual(await ids(files), [1]);
    assert.match(String(files.refused), /3\.json could not be read/);
  });
});
