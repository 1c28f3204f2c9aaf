import type { CheckAnswer, CheckStage } from '../../src/model/rentals/machineCheck';
import type { MachineChecks } from '../../src/store/rentals/checkRuns';

/** For machines that are ready as soon as they run. */
export const noChecks: MachineChecks = {
  look: () => Promise.reject(new Error('nothing is to be checked')),
};

/** Machines whose logins a test decides about; counts how many are under way at once. */
export class ScriptedChecks implements MachineChecks {
  /** Ids in the order of the looks. */
  readonly looks: number[] = [];
  readonly underWay = new Map<number, number>();
  mostAtOnce = 0;
  answer: (
    instanceId: number,
    onStage: (stage: CheckStage) => void,
    signal: AbortSignal,
  ) => CheckAnswer | Promise<CheckAnswer> = () => ({ kind: 'proved' });

  async look(
    instanceId: number,
    onStage: (stage: CheckStage) => void,
    signal: AbortSignal,
  ): Promise<CheckAnswer> {
    this.looks.push(instanceId);
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
