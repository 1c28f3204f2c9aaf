import * as z from 'zod';
import { chooseSecret } from '../../../editor/chooseSecret';
import { t } from '../../../editor/localize';
import { machineUse, machineVariables, machinesOf } from '../../../model/accounts/keptSecret';
import type { Services } from '../../../services';

type Deps = Pick<Services, 'accounts' | 'fleet' | 'globalState' | 'keptSecrets'>;

interface Machine {
  readonly instanceId: number;
  readonly accountKey: string;
  readonly name: string;
}

const stateKey = 'gpuRental.setUp.declined';
const mostDeclined = 100;

function ownKeys({ instanceId, accountKey }: Pick<Machine, 'instanceId' | 'accountKey'>): string {
  return `${accountKey} ${instanceId} `;
}

/**
 * The secrets that the user gave single machines, as variables by name: a name alone, in a setting or a file, gives no
 * value, and a value that one machine has is not given to the next.
 */
export class MachineSecrets {
  constructor(private readonly deps: Deps) {}

  /** Asks for those of these names that the machine was not given, each once; returns those that it was given. */
  async ask(machine: Machine, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { instanceId, accountKey, name: machineName } = machine;
    const given = await this.of(machine);
    for (const name of new Set(names.filter((one) => !given.has(one)))) {
      const key = `${ownKeys(machine)}${name}`;
      if (this.declined.includes(key)) {
        continue;
      }
      const chosen = await chooseSecret(this.deps, accountKey, {
        wanted: name,
        use: machineUse(instanceId, name),
        title: t('Secret {0} of {1}', name, machineName),
        purpose: t('It is stored on {0}, where the owner of the machine can read it.', machineName),
      });
      if (!chosen) {
        await this.decline([...this.declined, key]);
      }
    }
    return new Map([...(await this.of(machine))].filter(([name]) => names.includes(name)));
  }

  /** Makes the next set-up ask again. */
  forgetDeclined(machine: Pick<Machine, 'instanceId' | 'accountKey'>): Promise<void> {
    return this.decline(this.declined.filter((key) => !key.startsWith(ownKeys(machine))));
  }

  /** What the user did not give, in any window. */
  private get declined(): readonly string[] {
    return z.array(z.string()).safeParse(this.deps.globalState.get<unknown>(stateKey)).data ?? [];
  }

  private async decline(keys: readonly string[]): Promise<void> {
    await this.deps.globalState.update(stateKey, keys.slice(-mostDeclined));
  }

  async of({ instanceId, accountKey }: Machine): Promise<ReadonlyMap<string, string>> {
    const { fleet, keptSecrets } = this.deps;
    const all = await keptSecrets.all(accountKey);
    // Machines that are gone need none.
    for (const gone of machinesOf(all).filter((id) => fleet.hasEnded(id))) {
      await this.release({ instanceId: gone, accountKey });
    }
    return machineVariables(all, instanceId);
  }

  async release({ instanceId, accountKey }: Pick<Machine, 'instanceId' | 'accountKey'>): Promise<void> {
    const { keptSecrets } = this.deps;
    const names = machineVariables(await keptSecrets.all(accountKey), instanceId).keys();
    for (const name of names) {
      await keptSecrets.release(accountKey, machineUse(instanceId, name));
    }
  }
}
