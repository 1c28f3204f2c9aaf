import type { Instance } from '../../model/instances/instance';
import type { MachineProbe } from '../../model/instances/machineProbe';
import type { CarriedEnd } from '../../model/rentals/agreedEnd';
import type { PastRental } from '../../model/rentals/pastRental';
import type { RentConfig } from '../../model/rentals/rent';
import { toDisposable, type Disposable } from '../../util/disposable';
import { Emitter, type Event } from '../../util/emitter';
import type { Text } from '../../util/text';

/** What ends on an instance: only its processes, or all data on its disk as well. */
export type WorkLoss = 'processes' | 'disk';

/** Past rentals of the active account. */
export interface PastRentals {
  readonly ready: Promise<void>;
  readonly rows: readonly PastRental[];
  /** Set while the disk refuses them. */
  readonly error: unknown;
}

/** A piece of work on an instance, for its page. */
export interface WorkRow {
  readonly id: string;
  readonly name: string;
  readonly state: Text;
  /** What it does with the instance when it ends; absent if that is kept. */
  readonly ends?: Text;
  /** What a click does, with its name for screen readers. */
  readonly open?: { readonly name: Text; run(): unknown };
}

/** What a wing knows of the work on instances of the active account; parts that it does not know are absent. */
export interface InstanceWork {
  /** Resolves once what is on disk was read. */
  readonly ready?: () => Promise<void>;
  /** Returns what would be lost with an instance. */
  readonly atRisk?: (instanceId: number, loss: WorkLoss) => readonly Text[];
  /** Returns the work on an instance, the latest first. */
  readonly rows?: (instanceId: number) => readonly WorkRow[];
  /** Finds what this computer does not know on a machine that is about to be destroyed. */
  readonly probe?: MachineProbe;
  /** Returns what no longer happens once the account is signed out. */
  readonly afterSignOut?: () => Text | undefined;
  /** True while it saves files of an instance of any account, so that no schedule may end that. */
  readonly isSaving?: (accountKey: string, instanceId: number, loss: WorkLoss) => boolean;
  /** True if it ends the instance, so that it is not reported as forgotten. */
  readonly endsInstance?: (instanceId: number) => boolean;
  /** True if it waits for an instance and reports what follows, so that the instance is not reported as ready. */
  readonly awaits?: (instanceId: number) => boolean;
  /** Reports that an instance ended as this wing had arranged on it; returns false if it had not. */
  readonly reportEnd?: (accountKey: string, instance: Instance) => boolean;
  /** The rentals whose instances are gone. */
  readonly past?: PastRentals;
  /** Returns the names of agents by the ids of instances that they rented; empty if that can't be read. */
  readonly renters?: () => Promise<ReadonlyMap<number, string>>;
  /** Adds to a rental what ends its machine if the work that it is for never begins. */
  readonly guarded?: (config: RentConfig, serviceUrl: string, end: CarriedEnd | undefined) => RentConfig;
  /** True if the product must load for it at the next start; `undefined` while that is unknown. */
  readonly isPending?: () => boolean | undefined;
  /** Fires when `isPending` may have changed. */
  readonly onDidChange?: (listener: () => void) => Disposable;
}

/** The work on instances, as each wing registers it. */
export class WorkOnInstances implements Disposable {
  private readonly all = new Set<InstanceWork>();
  private readonly starts = new Set<() => Promise<boolean>>();
  private readonly changed = new Emitter<void>();

  readonly onDidChange: Event<void> = this.changed.event;

  add(work: InstanceWork): Disposable {
    this.all.add(work);
    const changes = work.onDidChange?.(() => {
      this.changed.fire();
    });
    this.changed.fire();
    return toDisposable(() => {
      this.all.delete(work);
      changes?.dispose();
    });
  }

  /** Adds a wing that starts when all work must be known; `start` returns false if it can't. Never rejects. */
  addLater(start: () => Promise<boolean>): Disposable {
    this.starts.add(start);
    return toDisposable(() => this.starts.delete(start));
  }

  /**
   * Starts the wings that have not started yet and waits for their reads, before something is lost. Returns
   * false if some work stays unknown. Never rejects: a machine that costs money can still be stopped.
   */
  async whole(): Promise<boolean> {
    const areThere = await Promise.all([...this.starts].map((start) => start()));
    await Promise.all(this.each(({ ready }) => ready?.()));
    return !areThere.includes(false);
  }

  atRisk(instanceId: number, loss: WorkLoss): readonly Text[] {
    return this.each(({ atRisk }) => atRisk?.(instanceId, loss)).flat();
  }

  rowsOf(instanceId: number): readonly WorkRow[] {
    return this.each(({ rows }) => rows?.(instanceId)).flat();
  }

  get probes(): readonly MachineProbe[] {
    return this.each(({ probe }) => probe);
  }

  get afterSignOut(): readonly Text[] {
    return this.each(({ afterSignOut }) => afterSignOut?.());
  }

  isSaving(accountKey: string, instanceId: number, loss: WorkLoss): boolean {
    return this.each(({ isSaving }) => isSaving?.(accountKey, instanceId, loss)).includes(true);
  }

  endsInstance(instanceId: number): boolean {
    return this.each(({ endsInstance }) => endsInstance?.(instanceId)).includes(true);
  }

  awaits(instanceId: number): boolean {
    return this.each(({ awaits }) => awaits?.(instanceId)).includes(true);
  }

  /** Returns true if a wing reported the end of an instance, because it had arranged it on the instance. */
  reportEnd(accountKey: string, instance: Instance): boolean {
    return this.each(({ reportEnd }) => reportEnd?.(accountKey, instance)).includes(true);
  }

  /** The rentals whose instances are gone; `undefined` if nothing keeps them. */
  get past(): PastRentals | undefined {
    return this.each(({ past }) => past)[0];
  }

  guarded(config: RentConfig, serviceUrl: string, end: CarriedEnd | undefined): RentConfig {
    return this.each(({ guarded }) => guarded).reduce((all, guard) => guard(all, serviceUrl, end), config);
  }

  async rentedByAgents(): Promise<ReadonlyMap<number, string>> {
    const all = await Promise.all(this.each(({ renters }) => renters?.()));
    return new Map(all.flatMap((names) => [...names]));
  }

  /** True if anything waits; `undefined` if that is unknown. */
  get isPending(): boolean | undefined {
    const answers = [...this.all].map(({ isPending }) => (isPending ? isPending() : false));
    return answers.includes(true) ? true : answers.includes(undefined) ? undefined : false;
  }

  dispose(): void {
    this.changed.dispose();
  }

  private each<Answer>(ask: (work: InstanceWork) => Answer | undefined): readonly Answer[] {
    return [...this.all].map(ask).filter((answer) => answer !== undefined);
  }
}
