import assert from 'node:assert/strict';
import { Renting } from '../../../../src/features/rent/renting';
import type { DraftJob, OneOfDraft } from '../../../../src/jobs/model/draftJob';
import { rentalOfJob } from '../../../../src/jobs/ui/rentalOfJob';
import { defaultQuery } from '../../../../src/model/offers/savedSearches';
import { quoteOffer } from '../../../../src/model/quote';
import { RentFlow } from '../../../../src/model/rentals/rentFlow';
import { AgreementTooOldError } from '../../../../src/store/rentals/beforeRental';
import type { RentOptions } from '../../../../src/store/rentals/rentalStore';
import { UserError } from '../../../../src/util/errors';
import { text } from '../../../../src/util/text';
import { aJob } from '../../../support/jobWindows';
import { marketOffer } from '../../../support/marketOffer';
import { useCommands, useScreen } from '../../../support/onScreen';
import { only } from '../../../support/only';

describe('Renting', () => {
  const screen = useScreen();
  screen.commands.ofEditor.set('gpuRental.job.showLog', () => undefined);
  useCommands((id) => id === 'gpuRental.ensureSshKey');
  const offers = [1001, 1002, 1003].map((id) => ({ ...marketOffer(), id, machineId: id }));
  const [offer = marketOffer()] = offers;

  /** Rents three machines for three jobs. */
  async function rentThree(
    onCheck: (sent: number, stop: (job: string) => void) => void,
    report: (error: unknown) => void = assert.ifError,
    /** Refuses all that is asked of the jobs from the second machine on. */
    refusal?: Error,
  ) {
    const answer = <T>(value: T) => (refusal && sent > 0 ? Promise.reject(refusal) : Promise.resolve(value));
    const stopped = new Set<string>();
    const ordered: string[] = [];
    let sent = 0;
    const jobs = {
      order: () => Promise.resolve({ id: String(ordered.push('job')) }),
      awaitsRental: (id: string) => answer(!stopped.has(id)),
      rentedBy: () => answer(undefined),
      forget: () => Promise.resolve(),
    };
    const rent = async (_: unknown, { beforeSent }: RentOptions) => {
      onCheck(sent, (job) => stopped.add(job));
      await beforeSent?.(only({ windowId: 'w' }));
      sent += 1;
      return { kind: 'rented', rental: {}, instanceId: 6000 + sent };
    };
    const account = {
      key: 'a',
      client: { offers: { search: () => Promise.resolve({ items: offers, skipped: 0 }) } },
    };
    const { spec } = aJob(1);
    const one: OneOfDraft = { spec, outputsTo: 'outputs' };
    const job = { order: { spec }, each: [one, one, one], names: [] } as unknown as DraftJob;
    const flow = new RentFlow({
      accountKey: 'a',
      offer,
      query: defaultQuery,
      title: 'Rent',
      order: rentalOfJob({ jobs, report: { error: report } } as never, { job }),
      choices: { source: { kind: 'image', image: 'ubuntu' }, count: 3 },
    });
    const { running } = quoteOffer(offer, { rentalType: 'on-demand', diskGb: 20, searchedDiskGb: 20 });
    const deps = {
      account,
      accounts: { active: account },
      clock: { now: () => 0 },
      rentals: { rent },
      report: { error: report },
    };
    return new Renting(flow, only(deps)).rent({ rate: running, acceptsOverrun: false });
  }

  it('continues with the next one if the jobs of one are stopped while its offer is checked', async () => {
    const end = await rentThree((sent, stop) => {
      if (sent === 1) {
        stop('2');
      }
    });
    assert.ok(end.kind === 'rented', JSON.stringify(end));
    assert.deepEqual(
      end.results.map((result) => result.kind === 'rented' && result.instanceId),
      [6001, 6002],
    );
    assert.equal(end.whyNotAll, 'The jobs of the others no longer wait for a machine.');
  });

  it('asks again where the rental could not be sent for long after the confirmation', async () => {
    const account = {
      key: 'a',
      client: {
        offers: {
          search: () => {
            now += 60_000;
            return Promise.resolve({ items: offers, skipped: 0 });
          },
        },
      },
    };
    let now = 1_000_000;
    const agreed: (number | undefined)[] = [];
    const deps = {
      account,
      accounts: { active: account },
      clock: { now: () => now },
      jobs: {},
      rentals: {
        rent: (_: unknown, { agreedAt }: RentOptions) => {
          agreed.push(agreedAt);
          throw new AgreementTooOldError();
        },
      },
      report: { error: assert.ifError },
    };
    const flow = new RentFlow({
      offer,
      query: defaultQuery,
      title: 'Rent',
      choices: { source: { kind: 'image', image: 'ubuntu' } },
    });
    const { running } = quoteOffer(offer, { rentalType: 'on-demand', diskGb: 20, searchedDiskGb: 20 });
    const end = await new Renting(flow, only(deps)).rent({ rate: running, acceptsOverrun: false });
    assert.deepEqual(end, {
      kind: 'again',
      notice: {
        reason: 'The rental could not be sent within 10 minutes.',
        detail: 'Press Enter to rent at the price below.',
      },
    });
    assert.deepEqual(agreed, [1_000_000]);
  });

  it('shows what was rented and why no more was if the jobs can’t be read any longer', async () => {
    const reported: unknown[] = [];
    const refusal = new UserError(text('The disk of this computer is full. Free some space on it.'));
    const end = await rentThree(
      () => undefined,
      (error) => reported.push(error),
      refusal,
    );
    assert.ok(end.kind === 'rented', JSON.stringify(end));
    assert.deepEqual(
      end.results.map((result) => result.kind === 'rented' && result.instanceId),
      [6001],
    );
    assert.equal(end.whyNotAll, 'The disk of this computer is full. Free some space on it.');
    assert.deepEqual([...new Set(reported)], [refusal]);
  });
});
