import { runCommand } from '../../editor/commands';
import type { DraftJob, OneOfDraft } from '../../model/jobs/rentForJob';
import type { CompleteDraft } from '../../model/rentals/rentDraft';
import { machineName } from '../../model/rentals/confirmation';
import { perHour, type Rate } from '../../model/quote';
import type { Services } from '../../services';
import type { Rental } from '../../store/ports';
import type { RentResult } from '../../store/rentals/rentalStore';

type Deps = Pick<Services, 'jobs'>;

/** Which of the machines that one yes rents, counted from 0. */
interface Copy {
  readonly index: number;
  readonly of: number;
}

/** Rents for the jobs that this machine is to run, which are noted with the marker of the rental before the request leaves. */
export async function rentWithJob(
  deps: Deps,
  { job, offer }: CompleteDraft,
  confirmed: Rate | undefined,
  copy: Copy,
  rent: (beforeSent: ((rental: Rental) => Promise<void>) | undefined) => Promise<RentResult>,
): Promise<RentResult> {
  if (!job) {
    return rent(undefined);
  }
  const ids: string[] = [];
  const share = job.each.filter((_, index) => index % copy.of === copy.index);
  const note = async ({ marker }: Rental) => {
    for (const one of share) {
      ids.push(await order(deps, job, one, { marker, name: machineName(offer) }, confirmed));
    }
  };
  try {
    const result = await rent(note);
    if (copy.index === 0 && ids[0] !== undefined && result.kind !== 'notRented') {
      await runCommand('gpuRental.job.showLog', { jobId: ids[0] });
    }
    return result;
  } catch (error) {
    // Refused: nothing was rented, and what is confirmed next is a job of its own.
    for (const id of ids) {
      await deps.jobs.forget(id);
    }
    throw error;
  }
}

/** Deals what was meant for machines that were not to be had out to those that were rented. */
export async function orderRest(
  deps: Deps,
  { job, offer }: CompleteDraft,
  confirmed: Rate | undefined,
  wanted: number,
  results: readonly RentResult[],
): Promise<void> {
  const rest = job?.each.filter((_, index) => index % wanted >= results.length) ?? [];
  for (const [index, one] of rest.entries()) {
    const rental = results[index % results.length]?.rental;
    if (job && rental) {
      await order(deps, job, one, { marker: rental.marker, name: machineName(offer) }, confirmed);
    }
  }
}

async function order(
  { jobs }: Deps,
  { order: shared, names }: DraftJob,
  one: OneOfDraft,
  { marker, name }: { readonly marker: string; readonly name: string },
  confirmed: Rate | undefined,
): Promise<string> {
  const machine = { name, perHour: confirmed && perHour(confirmed) };
  return (await jobs.order({ ...shared, ...one, machine, rental: { marker } }, names)).id;
}
