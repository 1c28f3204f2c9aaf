import type { JobPlan } from '../model/jobPlan';

const mostKept = 50;

/**
 * The plans that this window made for agents. In memory only, since a look writes nothing: one that another window made, or
 * this one before a reload, is made again.
 */
export class JobPlans {
  private readonly kept = new Map<string, JobPlan>();

  keep(plan: JobPlan): void {
    this.kept.set(plan.id, plan);
    const [oldest] = this.kept.keys();
    if (this.kept.size > mostKept && oldest !== undefined) {
      this.kept.delete(oldest);
    }
  }

  find(id: string): JobPlan | undefined {
    return this.kept.get(id);
  }
}
