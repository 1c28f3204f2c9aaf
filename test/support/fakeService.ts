import type { Client } from '../../src/api/client';
import { NotFoundError, RefusedError } from '../../src/api/errors';
import type { CallOptions } from '../../src/api/http';
import type { RentCallOptions } from '../../src/api/rent';
import type { User } from '../../src/model/accounts/account';
import type { Charge } from '../../src/model/accounts/charge';
import type { CloudPath, InstancePath } from '../../src/model/instances/dataCopy';
import type { Instance } from '../../src/model/instances/instance';
import type { PriceIncrease } from '../../src/model/instances/priceIncrease';
import type { TimetableEntry, TimetableOrder } from '../../src/model/instances/timetable';
import type { Offer } from '../../src/model/offers/offer';
import type { RentConfig } from '../../src/model/rentals/rent';
import type { Template } from '../../src/model/templates/template';
import { CancelledError } from '../../src/util/errors';
import { aUser, anInstance } from './builders';

/** A service in memory: its instances can be changed by a test, its calls counted and made to fail. */
export class FakeService {
  instances: Instance[] = [];
  offers: Offer[] = [];
  templates: Template[] = [];
  user: User = aUser();
  priceIncreases: PriceIncrease[] = [];
  /** What it does at a time; nothing here runs it. */
  timetable: TimetableEntry[] = [];
  /** Made again for each answer. */
  charges: () => readonly Charge[] = () => [];
  /** The clock of the service, in Unix milliseconds; without one an answer does not say what time it is. */
  date: (() => number) | undefined;
  /** The clock of the computer that asks for the timetable, in Unix milliseconds. */
  here: () => number = () => 0;
  readonly calls: string[] = [];
  /** Those in the background, which are sent after the requests of the user. */
  readonly unasked: string[] = [];
  readonly rented: { readonly offerId: number; readonly config: RentConfig }[] = [];
  /** Runs while a write waits for the service to take it. */
  wait: (call: string) => void | Promise<void> = () => undefined;
  /** Runs before an answer, for an instance where the call is for one; throw to fail it before it takes effect. */
  before: (call: string, id?: number) => void | Promise<void> = () => undefined;
  /** Runs after it took effect; throw to lose the answer. */
  after: (call: string) => void | Promise<void> = () => undefined;
  /** The copies to clouds that began. */
  readonly cloudCopies: { readonly from: InstancePath; readonly to: CloudPath }[] = [];
  /** Runs when one begins. */
  onCloudCopy: () => void = () => undefined;
  /** Runs when a copy between two instances begins. */
  onCopy: (from: InstancePath, to: InstancePath) => void = () => undefined;
  keepsLabels = true;
  /** Instances that the list does not have yet; their records are there. */
  isListed: (instance: Instance) => boolean = () => true;
  nextId = 6000;

  /** From now on this call fails before it takes effect, and no other does. */
  failsBefore(call: string, error: () => Error): void {
    this.before = failing(call, error);
  }

  /** From now on the answer to this call is lost once it took effect. */
  failsAfter(call: string, error: () => Error): void {
    this.after = failing(call, error);
  }

  /** How many calls of a name were made. */
  count(call: string): number {
    return this.calls.filter((name) => name === call).length;
  }

  readonly client: Client = this.makeClient();

  private async run<T>(call: string, effect: () => T, options?: CallOptions, id?: number): Promise<T> {
    this.calls.push(call);
    if (options?.isUnasked === true) {
      this.unasked.push(call);
    }
    await this.before(call, id);
    const result = effect();
    await this.after(call);
    return result;
  }

  /** As the client does, it asks again right before the request leaves. */
  private async leave(call: string, options?: CallOptions): Promise<void> {
    await this.wait(call);
    if ((await options?.isStillWanted?.()) === false) {
      throw new CancelledError();
    }
  }

  private makeClient(): Client {
    const known = {
      priceIncreases: {
        list: (options?: CallOptions) =>
          this.run('priceIncreases.list', () => ({ items: [...this.priceIncreases], skipped: 0 }), options),
      },
      charges: {
        list: (_: unknown, options?: CallOptions) =>
          untilAborted(
            options?.signal,
            this.run(
              'charges.list',
              () => {
                options?.onHeaders?.(this.date ? { date: new Date(this.date()).toUTCString() } : {}, 0);
                return { items: [...this.charges()], skipped: 0, isComplete: true };
              },
              options,
            ),
          ),
      },
      timetable: {
        list: (options?: CallOptions) =>
          this.run(
            'timetable.list',
            () => {
              const headers = this.date ? { date: new Date(this.date()).toUTCString() } : {};
              options?.onHeaders?.(headers, this.here());
              return { items: [...this.timetable], skipped: 0 };
            },
            options,
          ),
        create: async (order: TimetableOrder, options?: CallOptions) => {
          await this.leave('timetable.create', options);
          return this.run('timetable.create', () => {
            if (
              this.timetable.some((one) => one.endpoint === order.endpoint && one.method === order.method)
            ) {
              throw new RefusedError({ code: 'job_exists', status: 422 });
            }
            this.nextId += 1;
            this.timetable.push({ ...order, id: this.nextId, minute: 0, status: 'PENDING' });
            return { id: this.nextId };
          });
        },
        change: async (id: number, order: TimetableOrder, options?: CallOptions) => {
          await this.leave('timetable.change', options);
          return this.run('timetable.change', () => {
            if (!this.timetable.some((one) => one.id === id)) {
              throw new NotFoundError({ code: 'not_found' });
            }
            this.timetable = this.timetable.map((one) => (one.id === id ? { ...one, ...order } : one));
          });
        },
        remove: async (id: number, options?: CallOptions) => {
          await this.leave('timetable.remove', options);
          return this.run('timetable.remove', () => {
            if (!this.timetable.some((one) => one.id === id)) {
              throw new NotFoundError({ code: 'not_found' });
            }
            this.timetable = this.timetable.filter((one) => one.id !== id);
          });
        },
      },
      templates: {
        search: () => this.run('templates.search', () => ({ items: [...this.templates], skipped: 0 })),
      },
      copies: {
        begin: (from: InstancePath, to: InstancePath) =>
          this.run('copies.begin', () => {
            this.onCopy(from, to);
          }),
        cancel: () => this.run('copies.cancel', () => undefined),
        toCloud: (from: InstancePath, to: CloudPath) =>
          this.run('copies.toCloud', () => {
            this.cloudCopies.push({ from, to });
            this.onCloudCopy();
          }),
      },
      users: { current: () => this.run('users.current', () => this.user) },
      offers: {
        search: (_: unknown, options?: CallOptions) =>
          this.run('offers.search', () => ({ items: [...this.offers], skipped: 0 }), options),
        rent: async (offerId: number, config: RentConfig, options?: RentCallOptions) => {
          await this.leave('offers.rent', options);
          options?.onSend?.();
          return this.run('offers.rent', () => {
            this.nextId += 1;
            this.rented.push({ offerId, config });
            const machineId = this.offers.find(({ id }) => id === offerId)?.machineId;
            const fresh: { -readonly [Key in keyof Instance]: Instance[Key] } = anInstance({
              id: this.nextId,
              actualStatus: null,
              ...(machineId === undefined ? {} : { machineId }),
              label: this.keepsLabels ? (config.label ?? '') : '',
            });
            delete fresh.startedAt;
            this.instances.push(fresh);
            return { instanceId: this.nextId, confirmed: true };
          });
        },
      },
      instances: {
        list: (options?: CallOptions) =>
          this.run(
            'instances.list',
            () => {
              const items = this.instances.filter((one) => this.isListed(one));
              return { items, skipped: 0, found: items.length };
            },
            options,
          ),
        get: (id: number) => this.run('instances.get', () => this.instances.find((one) => one.id === id)),
        destroy: async (id: number, options?: CallOptions) => {
          await this.leave('instances.destroy', options);
          const effect = () => {
            this.instances = this.instances.filter((one) => one.id !== id);
          };
          return this.run('instances.destroy', effect, undefined, id);
        },
        stop: async (id: number, options?: CallOptions) => {
          await this.leave('instances.stop', options);
          const effect = () => {
            this.instances = this.instances.map((one) =>
              one.id === id ? { ...one, actualStatus: 'exited', intendedStatus: 'stopped' } : one,
            );
          };
          return this.run('instances.stop', effect, undefined, id);
        },
        start: async (id: number, options?: CallOptions) => {
          await this.leave('instances.start', options);
          return this.run('instances.start', () => {
            this.instances = this.instances.map((one) =>
              one.id === id ? { ...one, intendedStatus: 'running' } : one,
            );
            return { queued: false };
          });
        },
        reboot: async (id: number, options?: CallOptions) => {
          await this.leave('instances.reboot', options);
          return this.run('instances.reboot', () => {
            this.instances = this.instances.map((one) =>
              one.id === id ? { ...one, actualStatus: 'loading' } : one,
            );
          });
        },
        recycle: async (id: number, options?: CallOptions) => {
          await this.leave('instances.recycle', options);
          return this.run('instances.recycle', () => {
            this.instances = this.instances.map((one) =>
              one.id === id ? { ...one, actualStatus: 'loading' } : one,
            );
          });
        },
        logs: () => this.run('instances.logs', () => 'the log\n'),
      },
    };
    // Calls that no test of the stores makes are not there, and fail loudly.
    return known as unknown as Client;
  }
}

/** As a request that is given up: a service that hangs delays no caller. */
function untilAborted<T>(signal: AbortSignal | undefined, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal?.addEventListener('abort', () => {
      reject(new CancelledError());
    });
    answer.then(resolve, reject);
  });
}

function failing(call: string, error: () => Error): (made: string) => void {
  return (made) => {
    if (made === call) {
      throw error();
    }
  };
}
