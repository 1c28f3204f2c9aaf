import { instanceName } from '../../model/instances/instanceLabel';
import type { Instance } from '../../model/instances/instance';
import type { OwnRequest } from '../../model/instances/instanceState';
import { mayAct } from '../../shared/oneWindow';
import type { Account, Accounts, Fleet, WindowHub } from '../ports';
import { destroyAndVerify, type DestructionDeps } from './destruction';
import { readPresence } from './ends';

/** An instance that was listed again after the user had destroyed it. */
export type CameBack =
  | { readonly kind: 'destroyedAgain'; readonly instanceId: number; readonly name: string }
  /** It is still there, and nothing more happens by itself. */
  | { readonly kind: 'notDestroyed'; readonly instanceId: number };

export interface DestroyedAgainDeps extends DestructionDeps {
  readonly accounts: Pick<Accounts, 'active'>;
  readonly fleet: Fleet;
  readonly hub: Pick<WindowHub, 'claim'>;
  /** Tells the user, once for a key over all windows and restarts. */
  readonly tell: (key: string, found: CameBack) => void;
}

/** For this long after a destroy it is read back whether the instance is gone. */
const readBackForMs = 2 * 60_000;
/** How often an instance that came back is destroyed without asking. */
const mostTimes = 2;

/**
 * Destroys an instance again that the user destroyed and the service lists once more. The word of the user is for one
 * contract: the same number with another beginning is left alone.
 */
export class DestroyedAgain {
  private readonly underWay = new Set<number>();
  /** Instances for which all that may happen by itself has happened, by number and contract. */
  private readonly exhausted = new Set<string>();

  constructor(private readonly deps: DestroyedAgainDeps) {}

  /** For each instance of a list that the leading window read; true where it should not be there. */
  look(instance: Instance, request: OwnRequest | undefined, now: number): boolean {
    const isBack =
      request?.kind === 'destroy' && (request.tookEffect === true || now - request.at > readBackForMs);
    if (!isBack || this.underWay.has(instance.id)) {
      return isBack;
    }
    const account = this.deps.accounts.active;
    if (!account || !isNamed(request, instance) || this.exhausted.has(contractOf(instance))) {
      this.tellStillThere(instance.id, request.at);
      return true;
    }
    this.underWay.add(instance.id);
    void this.destroy(account, instance, request)
      .catch((error: unknown) => {
        this.deps.log.error(`Instance ${instance.id} came back and could not be destroyed again`, error);
        this.tellStillThere(instance.id, request.at);
      })
      .finally(() => this.underWay.delete(instance.id));
    return true;
  }

  private async destroy(account: Account, listed: Instance, request: OwnRequest): Promise<void> {
    const { accounts, fleet, tell } = this.deps;
    const { id } = listed;
    const reading = await readPresence(account.client, id);
    if (reading.kind === 'ended') {
      fleet.note(id, { kind: 'destroy', tookEffect: true });
      return;
    }
    // The user may have done something else with it since, as to keep it after all.
    const isUnchanged =
      fleet.facts(id).lastRequest?.at === request.at && accounts.active?.key === account.key;
    if (reading.kind === 'doubtful' || !isUnchanged || !isNamed(request, reading.instance)) {
      return;
    }
    const turn = await this.nextTurn(account, listed);
    if (turn === undefined) {
      this.exhausted.add(contractOf(listed));
      this.tellStillThere(id, request.at);
      return;
    }
    this.deps.log.warn(`Instance ${id} was destroyed and is there again: it is destroyed for the user`);
    if ((await destroyAndVerify(this.deps, account.client, id)) === 'destroyed') {
      tell(`destroyedAgain:${contractOf(listed)}:${turn}`, {
        kind: 'destroyedAgain',
        instanceId: id,
        name: instanceName(listed),
      });
    } else {
      this.tellStillThere(id, request.at);
    }
  }

  /** The number of this time, in one window alone; `undefined` once there was the last. */
  private async nextTurn(account: Account, instance: Instance): Promise<number | undefined> {
    for (let turn = 1; turn <= mostTimes; turn += 1) {
      if (await mayAct(this.deps.hub, `${account.key}:destroyAgain:${contractOf(instance)}:${turn}`)) {
        return turn;
      }
    }
    return undefined;
  }

  private tellStillThere(instanceId: number, at: number): void {
    this.deps.tell(`notDestroyed:${instanceId}:${at}`, { kind: 'notDestroyed', instanceId });
  }
}

/** Whether it is the contract that the user named. */
function isNamed({ createdAt }: OwnRequest, { startedAt }: Instance): boolean {
  return createdAt !== undefined && createdAt === startedAt;
}

function contractOf({ id, startedAt }: Instance): string {
  return `${id}:${startedAt ?? ''}`;
}
