import * as z from 'zod';
import type { Services } from '../../../services';
import type { CloudFolder } from '../../model/secondCopy';

const stateKey = 'gpuRental.parked.secondCopy';
const stored = z.object({
  accountKey: z.string(),
  cloud: z.object({ connectionId: z.number(), name: z.string(), folder: z.string() }),
});

/** Where the last folder that was parked was copied as well, if it was: the same is proposed for the next one. */
export class SecondCopyChoice {
  constructor(
    private readonly state: Services['globalState'],
    private readonly accountKey: string,
  ) {}

  get last(): CloudFolder | undefined {
    const { data } = stored.safeParse(this.state.get<unknown>(stateKey));
    return data?.accountKey === this.accountKey ? data.cloud : undefined;
  }

  async keep(cloud: CloudFolder | undefined): Promise<void> {
    await this.state.update(stateKey, cloud && { accountKey: this.accountKey, cloud });
  }
}
