import type { MachineProof } from '../../src/model/proof/machineProof';
import type { CheckAnswer, CheckResult, CheckStage } from '../../src/model/rentals/machineCheck';
import type { MachineChecks } from '../../src/store/rentals/checkRuns';

/** For machines that are ready as soon as they run. */
export const noChecks: MachineChecks = {
  check: () => Promise.reject(new Error('nothing is to be checked')),
  keep: () => Promise.resolve(),
};

const aProof: MachineProof = {
  at: 0,
  kind: 'nvidia',
  gpus: [{ name: 'NVIDIA GeForce RTX 4090', memoryMb: 24_564 }],
  mig: false,
  faults: [],
  disk: {},
};
export const proved = { kind: 'proved', proof: aProof } as const;

/** Machines whose logins a test decides about; counts how many are under way at once. */
export class ScriptedChecks implements MachineChecks {
  /** Ids in the order of the looks. */
  readonly checks: number[] = [];
  readonly kept: (readonly [number, CheckResult['kind']])[] = [];
  readonly underWay = new Map<number, number>();
  mostAtOnce = 0;
  answer: (
    instanceId: number,
    onStage: (stage: CheckStage) => void,
    signal: AbortSignal,
  ) => CheckAnswer | Promise<CheckAnswer> = () => proved;

  keep(instanceId: number, { kind }: CheckResult): Promise<void> {
    this.kept.push([instanceId, kind]);
    return Promise.resolve();
  }

  async check(
    instanceId: number,
    onStage: (stage: CheckStage) => void,
    signal: AbortSignal,
  ): Promise<CheckAnswer> {
    this.checks.push(instanceId);
    const now = (this.underWay.get(instanceId) ?? 0) + 1;
    this.underWay.set(instanceId, now);
    this.mostAtOnce = Math.max(this.mostAtOnce, now);
    try {
      return await this.answer(instanceId, onStage, signal);
    } finally {
      this.underWay.set(instanceId, (this.underWay.get(instanceId) ?? 1) - 1);
    }
  }
}
