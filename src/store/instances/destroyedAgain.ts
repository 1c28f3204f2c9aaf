import type { Instance } from '../../model/instances/instance';
import { instanceName } from '../../model/instances/instanceLabel';
import type { OwnRequest } from '../../model/instances/instanceState';
import { mayAct } from '../../shared/oneWindow';
import { actAs } from '../../util/acting';
import { isWithin } from '../../util/duration';
import type { Account, Accounts } from '../accounts/accounts';
import { agreedBefore } from '../accounts/sameAccount';
import type { WindowHub } from '../windows/windowHub';
import { destroyAndVerify, type DestructionDeps } from './destruction';
import { readPresence } from './ends';
import type { Fleet } from './fleetStore';

/** What happened to an instance that was listed again after the user destroyed it. */
export type CameBack =
  | { readonly kind: 'destroyedAgain'; readonly instanceId: number; readonly name: string }
  /** The instance still exists, and we will not destroy it again automatically. */
  | { readonly kind: 'notDestroyed'; readonly instanceId: number };

export interface DestroyedAgainDeps extends DestructionDeps {
  readonly accounts: Pick<Accounts, 'active'>;
  readonly fleet: Fleet;
  readonly hub: Pick<WindowHub, 'claim'>;
  /** Notifies the user, once per key over all windows and restarts. */
  readonly deliver: (key: string, found: CameBack) => void;
}

/** After a destroy, the instance is read back for this long. */
const readBackForMs = 2 * 60_000;
/** How often an instance that is listed again is destroyed without asking. */
const mostTimes = 2;

/**
 * Destroys an instance again if the service lists it after the user destroyed it. The user agreed for one contract:
 * the same number with another start time is left alone.
 */
export class DestroyedAgain {
  private readonly underWay = new Set<number>();
  /** Instances, by number and contract, that will not be destroyed automatically any more. */
  private readonly exhausted = new Set<string>();

  constructor(private readonly deps: DestroyedAgainDeps) {}

  /** Checks an instance of a list that the leading window read; returns true if it should be gone. */
  check(instance: Instance, request: OwnRequest | undefined, now: number): boolean {
    const isBack =
      request?.kind === 'destroy' &&
      (request.tookEffect === true || !isWithin(readBackForMs, request.at, now));
    if (!isBack || this.underWay.has(instance.id)) {
      return isBack;
    }
    const account = this.deps.accounts.active;
    if (!account || !isNamed(request, instance) || this.exhausted.has(contractOf(instance))) {
      this.reportStillThere(instance.id, request.at);
      return true;
    }
    this.underWay.add(instance.id);
    void actAs({ kind: 'automatic' }, () => this.destroy(account, instance, request))
      .catch((error: unknown) => {
        this.deps.log.error(`Instance ${instance.id} came back and could not be destroyed again`, error);
        this.reportStillThere(instance.id, request.at);
      })
      .finally(() => this.underWay.delete(instance.id));
    return true;
  }

  private async destroy(account: Account, listed: Instance, request: OwnRequest): Promise<void> {
    const { accounts, fleet, deliver } = this.deps;
    const { id } = listed;
    const reading = await readPresence(account.client, id);
    if (reading.kind === 'ended') {
      fleet.note(id, { kind: 'destroy', tookEffect: true }, account.key);
      return;
    }
    // The user may have asked for something else since, for example to keep the instance.
    const isUnchanged =
      fleet.facts(id).lastRequest?.at === request.at && accounts.active?.key === account.key;
    if (reading.kind === 'doubtful' || !isUnchanged || !isNamed(request, reading.instance)) {
      return;
    }
    const turn = await this.nextTurn(account, listed);
    if (turn === undefined) {
      this.exhausted.add(contractOf(listed));
      this.reportStillThere(id, request.at);
      return;
    }
    this.deps.log.warn(`Instance ${id} was destroyed and is there again: it is destroyed for the user`);
    if ((await destroyAndVerify(this.deps, account, id, undefined, agreedBefore)) === 'destroyed') {
      deliver(`destroyedAgain:${contractOf(listed)}:${turn}`, {
        kind: 'destroyedAgain',
        instanceId: id,
        name: instanceName(listed),
      });
    } else {
      this.reportStillThere(id, request.at);
    }
  }

  /** Claims the next attempt for this window; returns its number, or `undefined` after the last one. */
  private async nextTurn(account: Account, instance: Instance): Promise<number | undefined> {
    for (let turn = 1; turn <= mostTimes; turn += 1) {
      if (await mayAct(this.deps.hub, `${account.key}:destroyAgain:${contractOf(instance)}:${turn}`)) {
        return turn;
      }
    }
    return undefined;
  }

  private reportStillThere(instanceId: number, at: number): void {
    this.deps.deliver(`notDestroyed:${instanceId}:${at}`, { kind: 'notDestroyed', instanceId });
  }
}

/** Returns whether the instance is the contract that the user destroyed. */
function isNamed({ createdAt }: OwnRequest, { startedAt }: Instance): boolean {
  return createdAt !== undefined && createdAt === startedAt;
}

function contractOf({ id, startedAt }: Instance): string {
  return `${id}:${startedAt ?? ''}`;
}
