import { runCommand } from '../../editor/commands';
import type { CompleteDraft } from '../../model/rentals/rentDraft';
import { machineName } from '../../model/rentals/confirmation';
import { perHour, type Rate } from '../../model/quote';
import type { Services } from '../../services';
import type { Rental } from '../../store/ports';
import type { RentResult } from '../../store/rentals/rentalStore';

/** Rents for the job of a draft, which is noted with the marker of the rental before the request leaves. */
export async function rentWithJob(
  { jobs }: Pick<Services, 'jobs'>,
  { job, offer }: CompleteDraft,
  confirmed: Rate | undefined,
  rent: (beforeSent: ((rental: Rental) => Promise<void>) | undefined) => Promise<RentResult>,
): Promise<RentResult> {
  if (!job) {
    return rent(undefined);
  }
  let jobId: string | undefined;
  const note = async ({ marker }: Rental) => {
    const machine = { name: machineName(offer), perHour: confirmed && perHour(confirmed) };
    const ordered = await jobs.order({ ...job.order, machine, rental: { marker } }, job.names);
    jobId = ordered.id;
  };
  try {
    const result = await rent(note);
    if (jobId !== undefined && result.kind !== 'notRented') {
      await runCommand('gpuRental.job.showLog', { jobId });
    }
    return result;
  } catch (error) {
    // Refused: nothing was rented, and what is confirmed next is a job of its own.
    if (jobId !== undefined) {
      await jobs.forget(jobId);
    }
    throw error;
  }
}
