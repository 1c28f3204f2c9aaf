import * as z from 'zod';
import { isRaised, limitsInForce, noLimits, type AgentLimits } from '../../model/agents/limits';
import { accessLevels } from '../../model/agents/tools';
import { Emitter } from '../../util/emitter';
import type { SecretPort } from '../ports';

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
/** What is kept; counts up with each change, also where it becomes what it was before. */
const keptShape = limitsShape.extend({ revision: z.number().int().nonnegative().catch(0) });
type Kept = z.infer<typeof keptShape>;

export interface LimitsNow {
  readonly set: AgentLimits;
  readonly inForce: AgentLimits;
  /** The settings say more than was confirmed: the user has to be asked. */
  readonly isRaised: boolean;
  /** Which change of what was confirmed this is about. */
  readonly revision: number;
}

/** The limits of agents: what the settings say, held against what was last confirmed in a dialog. */
export class AgentLimitStore {
  private readonly confirmedNow = new Emitter<void>();
  /** After a yes in this window. */
  readonly onDidConfirm = this.confirmedNow.event;

  constructor(
    private readonly deps: {
      readonly settings: () => AgentLimits;
      /** Other programs of this user can't easily write here, unlike in the settings. */
      readonly secrets: SecretPort;
    },
  ) {}

  /** Asks the secret store only where agents are not off. */
  async read(): Promise<LimitsNow> {
    const set = this.deps.settings();
    if (set.access === 'off') {
      return { set, inForce: { ...set, access: 'off' }, isRaised: false, revision: 0 };
    }
    const { revision, ...confirmed } = await this.confirmed();
    return { set, inForce: limitsInForce(set, confirmed), isRaised: isRaised(set, confirmed), revision };
  }

  /** The user's yes in a dialog to exactly these. */
  async confirm(limits: AgentLimits): Promise<void> {
    const { revision } = await this.confirmed();
    await this.keep({ ...limits, revision: revision + 1 });
  }

  /** After the settings changed: what was lowered has to be confirmed again before it rises. */
  async lower(): Promise<void> {
    const { revision, ...confirmed } = await this.confirmed();
    const lowered = limitsInForce(this.deps.settings(), confirmed);
    if (JSON.stringify(lowered) !== JSON.stringify(confirmed)) {
      await this.keep({ ...lowered, revision: revision + 1 });
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

function parse(kept: string | undefined): unknown {
  try {
    return kept === undefined ? undefined : JSON.parse(kept);
  } catch {
    return undefined;
  }
}
