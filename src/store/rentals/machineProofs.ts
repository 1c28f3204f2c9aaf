import * as z from 'zod';
import { machineProofShape, type MachineProof } from '../../model/proof/machineProof';
import { checkResult, type CheckResult } from '../../model/rentals/machineCheck';
import type { Log } from '../../util/log';
import { RowIndex } from '../../util/rowIndex';
import { accountPath } from '../accounts/accountFiles';
import { DiskList, type DiskListDeps } from '../disk/diskList';
import { numberId, RowFolder } from '../disk/rowFolder';

const laterShape = z.object({ proof: machineProofShape, told: z.array(z.string()).readonly() }).readonly();
const proofFile = z.object({
  version: z.literal(1),
  at: z.number(),
  check: checkResult,
  later: laterShape.optional(),
});

/** The result of the last check of an instance. */
export interface CheckedInstance {
  readonly instanceId: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly check: CheckResult;
  /** What a probe found since, and the faults that the user was told of. */
  readonly later?: { readonly proof: MachineProof; readonly told: readonly string[] } | undefined;
}

const mostKept = 200;

/** The proofs of an account's instances, latest first. */
class ProofFiles extends RowFolder<CheckedInstance> {
  constructor(folder: string, log: Pick<Log, 'warn'>) {
    super(folder, numberId, log);
  }

  async read(id: string): Promise<CheckedInstance | undefined> {
    const proof = await this.file(id, proofFile).value();
    if (!proof) {
      return undefined;
    }
    const { at, check, later } = proof;
    return { instanceId: Number(id), at, check, ...(later ? { later } : {}) };
  }

  /** Stores a proof and deletes the oldest if there are too many. */
  async put({ instanceId, at, check, later }: CheckedInstance): Promise<void> {
    await this.file(instanceId, proofFile).write({ version: 1, at, check, later });
    for (const old of (await this.list()).slice(mostKept)) {
      await this.file(old.instanceId, proofFile).remove();
    }
  }

  protected order(one: CheckedInstance, other: CheckedInstance): number {
    return other.at - one.at;
  }
}

/** The last proofs of the active account's instances, the same in all windows. */
export class MachineProofs extends DiskList<CheckedInstance, ProofFiles> {
  private readonly index = new RowIndex<CheckedInstance, number>(({ instanceId }) => instanceId);

  constructor(
    deps: Omit<DiskListDeps<ProofFiles>, 'topic' | 'open' | 'unreadable'> & { storageDir: string },
  ) {
    super({
      ...deps,
      topic: 'proofs.changed',
      open: (accountKey) => new ProofFiles(accountPath(deps.storageDir, accountKey, 'proofs'), deps.log),
      unreadable: 'The proofs of machines could not be read',
    });
  }

  find(instanceId: number): CheckedInstance | undefined {
    return this.index.find(this.rows, instanceId);
  }

  /** Stores a proof for the active account. */
  async keep(row: CheckedInstance): Promise<void> {
    const { files } = this;
    await files?.put(row);
    await this.publishChange(files);
  }
}
