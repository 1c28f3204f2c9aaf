import * as z from 'zod';
import type { SecretPort } from '../../store/accounts/patientSecrets';
import { Emitter } from '../../util/emitter';
import { parseJson } from '../../util/json';
import { isRaised, limitsInForce, noLimits, type AgentLimits } from '../model/limits';
import { accessLevels } from '../model/tools';

const secretKey = 'gpuRental.agents.confirmed';

const amount = z.number().nonnegative();
const limitsShape = z.object({
  access: z.enum(accessLevels),
  perDay: amount,
  perHour: amount,
  instances: amount,
  hours: amount,
  questionsPerHour: amount,
});
/** The stored limits. `revision` grows with each change, even when the limits return to an earlier value. */
const keptShape = limitsShape.extend({
  revision: z.number().int().nonnegative().catch(0),
  /** The settings that the user declined; forgotten once they change. */
  declined: limitsShape.optional().catch(undefined),
});
type Kept = z.infer<typeof keptShape>;

export interface LimitsNow {
  readonly set: AgentLimits;
  readonly inForce: AgentLimits;
  /** The settings allow more than was confirmed, so the user must be asked. */
  readonly isRaised: boolean;
  /** The user has declined exactly these settings. */
  readonly isDeclined: boolean;
  /** The revision of the confirmed limits that this is based on. */
  readonly revision: number;
}

/** Compares the limits in the settings with those last confirmed in a dialog. */
export class AgentLimitStore {
  private readonly confirmedNow = new Emitter<void>();
  /** Fires after a confirmation in this window. */
  readonly onDidConfirm = this.confirmedNow.event;

  constructor(
    private readonly deps: {
      readonly settings: () => AgentLimits;
      /** Unlike the settings, the secret store is hard to write for other programs of this user. */
      readonly secrets: SecretPort;
    },
  ) {}

  /** Returns the limits in force; reads the secret store only if agents are not off. */
  async read(): Promise<LimitsNow> {
    const set = this.deps.settings();
    if (set.access === 'off') {
      return { set, inForce: { ...set, access: 'off' }, isRaised: false, isDeclined: false, revision: 0 };
    }
    const { revision, declined, ...confirmed } = await this.confirmed();
    return {
      set,
      inForce: limitsInForce(set, confirmed),
      isRaised: isRaised(set, confirmed),
      isDeclined: isSame(set, declined),
      revision,
    };
  }

  /**
   * Stores the limits that the user confirmed in a dialog, and no more than the
   * settings allow by then: a limit that was lowered during the question would rise
   * again unasked. `access` is the value that the settings are about to get.
   */
  async confirm(limits: AgentLimits, access = this.deps.settings().access): Promise<void> {
    const { revision } = await this.confirmed();
    const kept = limitsInForce({ ...this.deps.settings(), access }, limits);
    await this.keep({ ...kept, revision: revision + 1 });
  }

  /** Notes that the user declined these settings, so that no other window asks about them. */
  async decline(set: AgentLimits): Promise<void> {
    const { revision, ...confirmed } = await this.confirmed();
    await this.keep({ ...confirmed, declined: set, revision: revision + 1 });
  }

  /**
   * Lowers the confirmed limits after the settings changed; raising them again needs another confirmation.
   */
  async lower(): Promise<void> {
    const { revision, declined, ...confirmed } = await this.confirmed();
    const set = this.deps.settings();
    const lowered = limitsInForce(set, confirmed);
    const isStillDeclined = declined === undefined || isSame(set, declined);
    if (!isSame(lowered, confirmed) || !isStillDeclined) {
      await this.keep({ ...lowered, ...(isStillDeclined ? { declined } : {}), revision: revision + 1 });
    }
  }

  private async keep(limits: Kept): Promise<void> {
    await this.deps.secrets.store(secretKey, JSON.stringify(limits));
    this.confirmedNow.fire();
  }

  private async confirmed(): Promise<Kept> {
    const kept = await this.deps.secrets.get(secretKey);
    const parsed = keptShape.safeParse(parse(kept));
    return parsed.success ? parsed.data : { ...noLimits, revision: 0 };
  }
}

function isSame(one: AgentLimits, other: AgentLimits | undefined): boolean {
  const keys = Object.keys(limitsShape.shape) as (keyof AgentLimits)[];
  return other !== undefined && keys.every((key) => one[key] === other[key]);
}

function parse(kept: string | undefined): unknown {
  try {
    return kept === undefined ? undefined : parseJson(kept);
  } catch {
    return undefined;
  }
}
