import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { JobState } from '../../../src/jobs/model/job';
import type { InstanceState } from '../../../src/simulator/state';
import type { Computer } from './computer';
import { jobsOnDisk, type PlayedJob } from './jobDriver';
import type { FeatureWindow } from './window';

/** The rows of the two views that show what costs money. */
export interface JobRows {
  readonly instances: readonly string[];
  readonly jobs: readonly string[];
}

export async function jobRows(window: FeatureWindow): Promise<JobRows> {
  return { instances: await window.view('instances').texts(), jobs: await window.view('jobs').texts() };
}

const mark = /\[(gr-[0-9a-f]{8})\]$/;

/**
 * Keeps the books of one job and of the machine that is rented for it, by the simulator's ledger: never two starts of
 * an attempt, never two machines for one Enter, never a destroy before the outputs are here, nothing that costs money
 * unseen.
 */
export class JobJudge {
  readonly violations: string[] = [];
  /** What the test itself takes away. */
  readonly takenAway = new Set<number>();
  private readonly rented = new Map<number, string>();

  constructor(
    protected readonly computer: Pick<Computer, 'simulator' | 'storage' | 'workspace'>,
    private readonly job: PlayedJob,
  ) {
    computer.simulator.world.onDidChangeInstance((instance) => this.enter(instance));
  }

  get rentals(): number {
    return this.rented.size;
  }

  get starts(): readonly string[] {
    const { startsFile } = this.job;
    return existsSync(startsFile) ? readFileSync(startsFile, 'utf8').split('\n').slice(0, -1) : [];
  }

  report(what: string): void {
    if (!this.violations.includes(what)) {
      this.violations.push(what);
    }
  }

  private enter({ id, label }: InstanceState): void {
    if (!this.rented.has(id)) {
      const own = mark.exec(label ?? '')?.[1];
      if (own === undefined) {
        this.report(`#${id} was rented without a mark`);
      }
      if ([...this.rented.values()].includes(own ?? '')) {
        this.report(`two machines were rented for ${own}`);
      }
      this.rented.set(id, own ?? '');
      if (this.rented.size > 1) {
        this.report(`#${id} is machine ${this.rented.size} of one job`);
      }
    }
    const isGone = this.computer.simulator.world.instance(id) === undefined;
    if (isGone && !this.takenAway.has(id) && this.starts.length > 0 && !this.areOutputsHere()) {
      this.report(`#${id} was destroyed before its outputs were here`);
    }
  }

  protected areOutputsHere(): boolean {
    const folder = path.join(this.computer.workspace, 'gpu-outputs');
    if (!existsSync(folder)) {
      return false;
    }
    const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) =>
      name.endsWith(path.join('outputs', 'model.bin')),
    );
    return found !== undefined && readFileSync(path.join(folder, found)).equals(this.job.payload);
  }

  /** What a window shows, once the service works and everything had its time. */
  check({ instances, jobs }: JobRows): void {
    const { starts } = this;
    if (new Set(starts).size < starts.length) {
      this.report(`started twice: ${starts.join(' ')}`);
    }
    for (const { id } of this.computer.simulator.world.instances) {
      if (!instances.some((row) => row.includes(`#${id}`) || row.includes(this.job.name))) {
        this.report(`#${id} costs money and is in no view; rows: ${instances.join(' / ')}`);
      }
    }
    for (const state of jobsOnDisk(this.computer)) {
      this.checkState(state, jobs);
    }
  }

  private checkState(state: JobState | undefined, rows: readonly string[]): void {
    const { world } = this.computer.simulator;
    if (!state) {
      this.report('an order was never taken up');
      return;
    }
    const { phase, outcome, trouble, machine, end } = state;
    if (phase !== 'over') {
      if (!trouble) {
        this.report(`the job is still ${phase}, and nothing says why`);
      }
      if (!rows.some((row) => row.includes(this.job.name))) {
        this.report(`the job is ${phase} and in no view`);
      }
      return;
    }
    const there = machine && world.instance(machine.instanceId);
    if (there && there.intendedStatus !== 'stopped' && outcome !== 'kept') {
      this.report(`the job is over (${outcome}), and #${there.id} still runs`);
    }
    if (outcome === 'destroyed' && there) {
      this.report(`#${there.id} counts as destroyed and is there`);
    }
    if (end?.why === 'itself' && this.job.code !== undefined && end.code !== this.job.code) {
      this.report(`the exit code became ${end.code}`);
    }
    if (end?.why === 'itself' && outcome !== 'lost') {
      this.checkLog(state.jobId);
    }
  }

  protected checkLog(jobId: string): void {
    const { storage } = this.computer;
    const [file] = readdirSync(storage, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith(`${jobId}.log`),
    );
    const log = file === undefined ? '' : readFileSync(path.join(storage, file), 'utf8');
    const wanted = Array.from({ length: this.job.epochs }, (_, index) => `epoch ${index + 1}\n`).join('');
    if (log !== wanted) {
      this.report(`the log is ${JSON.stringify(log)}`);
    }
  }
}
