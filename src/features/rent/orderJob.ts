import { runCommand } from '../../editor/commands';
import { reasonOf, t } from '../../editor/localize';
import type { Job } from '../../jobs/model/job';
import type { DraftJob, OneOfDraft } from '../../jobs/model/rentForJob';
import type { CompleteDraft } from '../../model/rentals/rentDraft';
import { machineName } from '../../model/rentals/confirmation';
import { perHour, type Rate } from '../../model/quote';
import type { Services } from '../../services';
import { newMarker } from '../../store/rentals/newMarker';
import type { RentOptions, RentResult, Rental } from '../../store/rentals/rentalStore';
import { CancelledError } from '../../util/errors';

type Deps = Pick<Services, 'jobs' | 'report'>;

/** The jobs of one machine of the rental. */
interface Share {
  readonly marker: string;
  readonly each: readonly OneOfDraft[];
  ids: readonly string[];
  /** Absent until the rental was sent. */
  result?: RentResult;
}

/**
 * The jobs that one confirmation rents machines for. All are stored, each with the marker of its own rental, before the
 * first request leaves. If the window closes between two rentals, the next one knows which jobs never ran.
 */
export class JobsOfRental {
  private readonly job: DraftJob | undefined;
  private readonly machine: Job['machine'];
  private readonly shares: readonly Share[];

  constructor(
    private readonly deps: Deps,
    { job, offer }: CompleteDraft,
    confirmed: Rate | undefined,
    machines: number,
  ) {
    this.job = job;
    this.machine = { name: machineName(offer), perHour: confirmed && perHour(confirmed) };
    this.shares = Array.from({ length: machines }, (_, copy) => ({
      marker: newMarker(),
      each: job?.each.filter((__, index) => index % machines === copy) ?? [],
      ids: [],
    }));
  }

  /**
   * Returns why one of the machines (counted from 0) is not rented: all its jobs were stopped before its turn, or can't
   * be read.
   */
  async whyNotWanted(copy: number): Promise<string | undefined> {
    try {
      return (await this.areWanted(copy))
        ? undefined
        : t('The jobs of the others no longer wait for a machine.');
    } catch (error) {
      this.deps.report.error(error);
      return reasonOf(error) ?? t('See the log for details.');
    }
  }

  private async areWanted(copy: number): Promise<boolean> {
    const ids = this.shares[copy]?.ids ?? [];
    const wanted = await Promise.all(ids.map((id) => this.deps.jobs.awaitsRental(id)));
    return wanted.length === 0 || wanted.includes(true);
  }

  /** Rents one of the machines, counted from 0. */
  async rent(
    copy: number,
    rent: (options: Pick<RentOptions, 'marker' | 'beforeSent'>) => Promise<RentResult>,
  ): Promise<RentResult> {
    const { job } = this;
    const share = this.shares[copy];
    if (!job || !share) {
      return rent({});
    }
    const result = await rent({
      marker: share.marker,
      beforeSent: (rental) => (copy === 0 ? this.note(job, rental) : this.check(copy)),
    });
    share.result = result;
    const [first] = share.ids;
    if (copy === 0 && first !== undefined && result.kind !== 'notRented') {
      await runCommand('gpuRental.job.showLog', { jobId: first });
    }
    return result;
  }

  /** Moves the jobs of machines that could not be rented to those that were. Never rejects: these are there anyway. */
  async settle(): Promise<void> {
    try {
      await this.moveJobs();
    } catch (error) {
      this.deps.report.error(error);
    }
  }

  private async moveJobs(): Promise<void> {
    const { jobs } = this.deps;
    const sent = this.shares.filter(({ result }) => result);
    const takers = [
      sent.filter(({ result }) => result?.kind === 'rented'),
      sent.filter(({ result }) => result?.kind === 'notKnown'),
      sent,
    ].find((some) => some.length > 0);
    let turn = 0;
    for (const { marker, ids, result } of this.shares) {
      for (const id of result?.kind === 'rented' ? [] : ids) {
        const taker = result ? marker : takers?.[turn++ % takers.length]?.marker;
        if (taker === undefined) {
          // Refused: nothing was rented. The next confirmation creates a new job.
          await jobs.forget(id);
        } else {
          await jobs.rentedBy(id, taker);
        }
      }
    }
  }

  private async note({ order, names }: DraftJob, { windowId }: Rental): Promise<void> {
    const { jobs } = this.deps;
    for (const share of this.shares) {
      const { marker } = share;
      // The result is final if the job has only one rental.
      const rental = this.shares.length === 1 ? { marker } : { marker, by: windowId };
      for (const one of share.each) {
        const { id } = await jobs.order({ ...order, ...one, machine: this.machine, rental }, names);
        share.ids = [...share.ids, id];
      }
    }
  }

  /**
   * Runs after the rental is in the journal. Either this sees that another window gave the jobs up, or that window sees
   * the rental.
   */
  private async check(copy: number): Promise<void> {
    if (!(await this.areWanted(copy))) {
      throw new CancelledError();
    }
  }
}
