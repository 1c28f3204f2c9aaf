import { join } from 'node:path';
import { Notices } from '../../src/store/windows/notices';
import { CancelledError } from '../../src/util/errors';
import { silentLog } from '../../src/util/log';
import type { ParkedWork } from '../../src/workspaces/model/parkedWork';
import type { ParkedSet } from '../../src/workspaces/model/parking';
import { ParkedFiles } from '../../src/workspaces/store/parkedFiles';
import { parkingNotice } from '../../src/workspaces/store/parkingNotice';
import { ParkingRunner } from '../../src/workspaces/store/parkingRunner';
import { Parkings } from '../../src/workspaces/store/parkings';
import { anInstance, anOffer } from './builders';
import { computerScene, type ServiceStart } from './computerScene';
import { rentalRequest } from './rentalRequest';

type Call = keyof ParkedWork | 'destroy';

/** A folder in memory on machines and on this computer: each content is one text. */
export class FakeFolders {
  /** By instance. */
  readonly there = new Map<number, string>([[5001, 'first']]);
  /** What was listed and what is here, by set; both outlive a window. */
  readonly listed = new Map<string, string>();
  readonly here = new Map<string, string>();
  /** What the service copied, by instance. */
  readonly carried = new Map<number, string>();
  readonly calls: string[] = [];
  /** What broke a rule. */
  readonly violations: string[] = [];
  /** Called before and after each call takes effect; throws for a cut connection, never ends for a killed window. */
  trouble: (call: Call, when: 'before' | 'after') => unknown = () => undefined;

  work(set: ParkedSet, instanceId: number): ParkedWork {
    const call = async <T>(name: keyof ParkedWork, effect: () => T, signal: AbortSignal): Promise<T> => {
      this.calls.push(name);
      await this.trouble(name, 'before');
      if (signal.aborted) {
        throw new CancelledError();
      }
      const result = effect();
      await this.trouble(name, 'after');
      return result;
    };
    const content = () => {
      const there = this.there.get(instanceId);
      if (there === undefined) {
        throw new Error('The machine does not answer.');
      }
      return there;
    };
    const { listed, here } = this;
    return {
      list: (signal) =>
        call(
          'list',
          () => {
            listed.set(set.id, content());
            return { files: 1, bytes: 5 };
          },
          signal,
        ),
      fetch: (onMoved, signal) =>
        call(
          'fetch',
          () => {
            here.set(set.id, content());
            onMoved({ bytes: 5, totalBytes: 5 });
            return listed.get(set.id) === here.get(set.id) ? [] : ['notes.txt'];
          },
          signal,
        ),
      lacking: (signal) =>
        call(
          'lacking',
          () => (listed.has(set.id) && listed.get(set.id) === here.get(set.id) ? [] : ['notes.txt']),
          signal,
        ),
      changed: (signal) =>
        call('changed', () => (listed.get(set.id) === content() ? [] : ['notes.txt']), signal),
      hold: (signal) => call('hold', content, signal).then(() => undefined),
      carry: (step, signal) =>
        call(
          'carry',
          () => {
            content();
            const arrived = this.carried.get(instanceId);
            if (step === 'drop') {
              this.carried.delete(instanceId);
            }
            if (step !== 'look' || arrived === undefined) {
              return { path: '/part/', seen: '' };
            }
            if (arrived !== listed.get(set.id)) {
              return { path: '/part/', seen: arrived, isWrong: true };
            }
            this.there.set(instanceId, arrived);
            return { path: '/part/', seen: '', root: set.root };
          },
          signal,
        ),
      place: (_, signal) =>
        call(
          'place',
          () => {
            content();
            this.there.set(instanceId, here.get(set.id) ?? 'nothing');
            return { root: set.root };
          },
          signal,
        ),
    };
  }
}

/** A computer, a service with instance 5001, and a folder there. */
export async function parkingScene(start: ServiceStart = { instances: [anInstance()] }) {
  const scene = await computerScene({ offers: [anOffer()], ...start });
  const folders = new FakeFolders();
  const { computer, service } = scene;
  service.onCopy = (from, to) => {
    folders.carried.set(to.instanceId, folders.there.get(from.instanceId) ?? '');
  };
  service.wait = async (call) => {
    if (call === 'instances.destroy') {
      await folders.trouble('destroy', 'before');
    }
  };
  service.before = (call, id) => {
    if (call === 'instances.destroy') {
      folders.calls.push('destroy');
      const copies = [
        ...folders.here.values(),
        ...[...folders.there].flatMap(([of, one]) => (of === id ? [] : one)),
      ];
      if (!copies.includes(folders.there.get(id ?? 0) ?? 'nothing')) {
        folders.violations.push(`#${id} was destroyed, and what it had is nowhere else`);
      }
      folders.there.delete(id ?? 0);
    }
  };
  service.after = async (call) => {
    if (call === 'instances.destroy') {
      await folders.trouble('destroy', 'after');
    }
  };

  const open = async () => {
    const window = await computer.openSignedIn();
    const { accounts, fleet, hub, owned, rentals } = window;
    const { clock } = computer;
    const log = silentLog;
    const files = new ParkedFiles(join(computer.storageDir, 'parked'), log, clock);
    const parkings = owned.add(new Parkings({ files, hub, clock, log, secrets: computer.secrets }));
    const notices = owned.add(new Notices(hub));
    const news: string[] = [];
    owned.add(notices.onDidPost(({ data }) => news.push(parkingNotice.parse(data).news)));
    const runner = owned.add(
      new ParkingRunner({
        ...{ accounts, fleet, hub, rentals, parkings, notices, clock, log },
        work: (_, set, machine) => folders.work(set, machine.instanceId),
        firstContact: () => Promise.resolve(),
      }),
    );
    await parkings.ready;
    await clock.advance(0);
    await fleet.refresh();
    const accountKey = accounts.active?.key ?? '';
    const set = (more: Partial<ParkedSet> = {}) => ({
      plan: 'park' as const,
      accountKey,
      serviceUrl: 'https://console.example.com',
      from: {
        instanceId: 5001,
        name: 'trainer',
        contractStart: service.instances.find(({ id }) => id === 5001)?.startedAt ?? 0,
      },
      root: '/workspace/project',
      leftOut: [],
      like: { config: {}, rentalType: 'on-demand' as const },
      ...more,
    });
    return {
      ...window,
      files,
      parkings,
      runner,
      news,
      accountKey,
      set,
      park: (more?: Partial<ParkedSet>) => parkings.order(set(more)),
      /** Rents a machine on which a set continues, as a confirmation does. */
      resume: (id: string, marker: string, seen = parkings.find(id)) =>
        rentals.rent(rentalRequest, {
          marker,
          beforeSent: async () => {
            if (!seen || !(await parkings.noteRental(seen, { marker, accountKey }))) {
              throw new CancelledError();
            }
          },
        }),
      rent: (marker: string) => rentals.rent(rentalRequest, { marker }),
      state: (id: string) => {
        const row = parkings.find(id);
        return row && { phase: row.state.phase, why: row.state.trouble?.why.template };
      },
    };
  };
  return { ...scene, folders, open };
}
export type ParkingScene = Awaited<ReturnType<typeof parkingScene>>;
