import * as z from 'zod';
import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import { billingOf, fleetCostPerHour, noFacts, stateOf } from '../../model/instances/instanceState';
import { micros } from '../../model/money';
import type { Account } from '../../store/accounts/accounts';
import { readPresence } from '../../store/instances/ends';
import type { Notices } from '../../store/windows/notices';
import type { Clock } from '../../util/clock';
import { isWithin } from '../../util/duration';
import { isCancelled } from '../../util/errors';
import type { Log } from '../../util/log';

/** The data of a notice about instances of an account that is not active. */
export const otherAccountNotice = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('running'),
    names: z.array(z.string()),
    perHour: micros,
    isPartial: z.boolean(),
  }),
  z.object({ kind: z.literal('ended'), name: z.string() }),
]);
export type OtherAccountNotice = z.infer<typeof otherAccountNotice>;
export const otherAccountKind = 'otherAccount';

/** The last list of an account from when it was active. */
export interface LastListed {
  readonly instances: readonly Instance[];
  /** Milliseconds since 1970. */
  readonly fetchedAt: number;
}

interface OtherMachinesDeps {
  readonly account: Account;
  readonly last: LastListed;
  readonly notices: Notices;
  readonly clock: Clock;
  readonly log: Log;
}

/** How often the instances of an account that is not active are listed for their own sake (ms). */
export const dailyMs = 24 * 3_600_000;

/** The instances of an account that is not active: reports which still run after a day, and which have ended. */
export class OtherMachines {
  private known: ReadonlyMap<number, Instance>;
  /** Instances whose end was reported or scheduled. */
  private readonly ended = new Set<number>();

  constructor(private readonly deps: OtherMachinesDeps) {
    this.known = byId(deps.last.instances);
  }

  /** False if the account had no instances that cost money. */
  get areThere(): boolean {
    return !this.deps.account.isDemo && [...this.known.keys()].some((id) => !this.ended.has(id));
  }

  /** As last listed, for its name. */
  find(id: number): Instance | undefined {
    return this.known.get(id);
  }

  /** Notes an end that is reported elsewhere. */
  noteEnd(id: number): void {
    this.ended.add(id);
  }

  /** Updates from a list that was just read. Never rejects. */
  async learn(listed: readonly Instance[], signal: AbortSignal): Promise<void> {
    const { account, last, clock, log } = this.deps;
    const present = byId(listed);
    const missing = [...this.known.values()].filter(({ id }) => !present.has(id) && !this.ended.has(id));
    this.known = new Map([...this.known, ...present]);
    if (account.isDemo || isWithin(dailyMs, last.fetchedAt, clock.now())) {
      return;
    }
    this.postRunning(listed);
    for (const instance of missing) {
      try {
        const { kind } = await readPresence(account.client, instance.id, signal);
        if (kind === 'ended') {
          this.ended.add(instance.id);
          this.postEnded(instance);
        }
      } catch (error) {
        if (isCancelled(error)) {
          return;
        }
        log.info(`Whether an instance of another account has ended could not be read: ${String(error)}`);
      }
    }
  }

  /** Once for the same instances. */
  private postRunning(listed: readonly Instance[]): void {
    const now = this.deps.clock.now();
    const states = listed.map((one) => [one, stateOf(one, noFacts, now)] as const);
    const running = states.filter(([one, state]) => billingOf(one, state) !== 'disk');
    if (running.length > 0) {
      const { perHour, isPartial } = fleetCostPerHour(states);
      const ids = running.map(([{ id }]) => id).sort((a, b) => a - b);
      const names = running.map(([one]) => instanceName(one));
      this.post(`running:${ids.join()}`, { kind: 'running', names, perHour, isPartial });
    }
  }

  /** With the key of the message for when the account is active again, so that it is shown once. */
  private postEnded(instance: Instance): void {
    this.post(`gone:${instance.id}:${instance.startedAt ?? ''}`, {
      kind: 'ended',
      name: instanceName(instance),
    });
  }

  private post(key: string, data: OtherAccountNotice): void {
    const { account, notices } = this.deps;
    notices.post({ key: `${account.key}:${key}`, accountKey: account.key, kind: otherAccountKind, data });
  }
}

function byId(instances: readonly Instance[]): ReadonlyMap<number, Instance> {
  return new Map(instances.map((one) => [one.id, one]));
}
