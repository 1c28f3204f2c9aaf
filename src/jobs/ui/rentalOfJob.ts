import { runCommand } from '../../editor/commands';
import { reasonOf, t } from '../../editor/localize';
import { formatMoney, fromDollars } from '../../model/money';
import type { OrderedRentals, OrderFact, RentalOrder } from '../../model/rentals/rentalOrder';
import { newMarker } from '../../store/rentals/beforeRental';
import { CancelledError } from '../../util/errors';
import { text } from '../../util/text';
import { jobFacts, type DraftJob, type OneOfDraft, type WantedForJob } from '../model/draftJob';
import type { Job } from '../model/job';
import { guardSecondsOf } from '../model/jobLimits';
import type { Services } from '../services';

type Deps = Pick<Services, 'jobs' | 'report'>;

/** Returns the order of the machines for a job, or for the jobs of a matrix. */
export function rentalOfJob(deps: Deps, { job, tailored }: WantedForJob): RentalOrder {
  const { spec } = job.order;
  const { name, costDollars } = spec;
  return {
    name,
    heading: tailored?.heading ?? text('Job'),
    ...(tailored && { rentLabel: tailored.rentLabel }),
    facts: (rate, limitPerHour, offer) => {
      const facts = jobFacts(job, rate, limitPerHour);
      if (!facts) {
        return {
          objection: text(
            'The job {0} would use up its {1} before its command starts. Go back and choose a cheaper offer.',
            name,
            formatMoney(fromDollars(costDollars)),
          ),
        };
      }
      return tailored ? [...tailored.facts(offer), ...facts.filter(isOfEnd)] : facts;
    },
    guardSeconds: (perHour) => guardSecondsOf(spec, perHour),
    begin: (machine, machines) => {
      const { name: machineName, perHour } = machine;
      return new JobsOfRental(deps, tailored?.on(machine) ?? job, { name: machineName, perHour }, machines);
    },
  };
}

/** A tailored job says itself what it does; when it ends, and what it is given, is said of every job. */
function isOfEnd({ id }: OrderFact): boolean {
  return /^(?:limit|secrets|machineEnd-)/.test(id);
}

/** The jobs of one machine of the rental. */
interface Share {
  readonly marker: string;
  readonly each: readonly OneOfDraft[];
  ids: readonly string[];
  /** Absent until the rental was sent. */
  result?: Parameters<OrderedRentals['sent']>[1];
}

/**
 * The jobs that one confirmation rents machines for. All are stored, each with the marker of its own rental, before the
 * first request leaves. If the window closes between two rentals, the next one knows which jobs never ran.
 */
class JobsOfRental implements OrderedRentals {
  private readonly shares: readonly Share[];

  constructor(
    private readonly deps: Deps,
    private readonly job: DraftJob,
    private readonly machine: Job['machine'],
    machines: number,
  ) {
    this.shares = Array.from({ length: machines }, (_, copy) => ({
      marker: newMarker(),
      each: job.each.filter((__, index) => index % machines === copy),
      ids: [],
    }));
  }

  markerOf(copy: number): string {
    return this.share(copy).marker;
  }

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

  async beforeSent(copy: number, windowId: string): Promise<void> {
    await (copy === 0 ? this.note(windowId) : this.check(copy));
  }

  async sent(copy: number, result: NonNullable<Share['result']>): Promise<void> {
    const share = this.share(copy);
    share.result = result;
    const [first] = share.ids;
    if (copy === 0 && first !== undefined && result !== 'notRented') {
      await runCommand('gpuRental.job.showLog', { jobId: first });
    }
  }

  /** Moves the jobs of machines that could not be rented to those that were. */
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
      sent.filter(({ result }) => result === 'rented'),
      sent.filter(({ result }) => result === 'notKnown'),
      sent,
    ].find((some) => some.length > 0);
    let turn = 0;
    for (const { marker, ids, result } of this.shares) {
      for (const id of result === 'rented' ? [] : ids) {
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

  private async note(windowId: string): Promise<void> {
    const { jobs } = this.deps;
    const { order, names } = this.job;
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

  private share(copy: number): Share {
    const share = this.shares[copy];
    if (!share) {
      throw new Error(`No machine ${copy} was ordered.`);
    }
    return share;
  }
}
