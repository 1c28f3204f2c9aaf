import assert from 'node:assert/strict';
import { rentalOfJob } from '../../../../src/jobs/ui/rentalOfJob';
import { fromDollars } from '../../../../src/model/money';
import { queryWith } from '../../../../src/model/offers/savedSearches';
import { hourlyRate } from '../../../../src/model/quote';
import { narrowedDraft, requestOf, type CompleteDraft } from '../../../../src/model/rentals/rentDraft';
import { aTemplate } from '../../../support/builders';
import { aJob } from '../../../support/jobWindows';
import { marketOffer } from '../../../support/marketOffer';

const draft: CompleteDraft = {
  accountKey: 'a',
  title: 'Search Offers',
  query: queryWith({ num_gpus: { eq: 1 }, compute_cap: { gt: 800 } }, 20),
  offer: marketOffer(),
  choices: { source: { kind: 'image', image: 'ubuntu' }, diskGb: 50 },
};

describe('the request for a draft', () => {
  it('searches for its replacement with all filters and the disk that is rented', () => {
    const { search } = requestOf(draft, undefined);
    assert.deepEqual(search?.filters['num_gpus'], { eq: 1 });
    assert.deepEqual(search.filters['compute_cap'], { gt: 800 });
    assert.equal(search.allocatedStorageGb, 50);
  });

  it('is limited by the price of the search, and else by what was confirmed', () => {
    const confirmed = hourlyRate(fromDollars(0.4));
    const { priceLimit, mostPerHour } = requestOf(draft, confirmed);
    assert.deepEqual([priceLimit, mostPerHour], [fromDollars(0.4), fromDollars(0.4)]);
    const limited = requestOf({ ...draft, query: queryWith({}, 20, 0.9) }, confirmed);
    assert.deepEqual([limited.priceLimit, limited.mostPerHour], [fromDollars(0.9), fromDollars(0.4)]);
    assert.equal(requestOf(draft, undefined).mostPerHour, undefined);
  });

  it('for a job names its guard, and the script of the template after it', () => {
    const limits = { hours: 1, costDollars: 2 };
    const of = aJob(undefined, { limits });
    const job = { order: of, each: [of], machines: 1, names: [], bytes: 0, secretFiles: [], leftOut: [] };
    const order = rentalOfJob({} as never, { job });
    const template = aTemplate({ onstart: 'entrypoint.sh', runtype: 'ssh' });
    const choices = { source: { kind: 'template', template } } as const;
    const end = { idleMinutes: 30, destroyAfterDays: 7 };
    const whole = requestOf({ ...draft, choices: { ...choices, end }, order }, undefined);
    assert.equal(whole.config.onstart, 'entrypoint.sh');
    assert.deepEqual(whole.end, { ...end, jobSeconds: 3600 + 120 + 3600 });
    const own = requestOf({ ...draft, choices: { ...choices, onstart: 'mine' }, order }, undefined).config;
    assert.equal(own.onstart, 'mine');
    const alone = requestOf({ ...draft, choices }, undefined);
    assert.deepEqual([alone.config.onstart, alone.end], [undefined, undefined]);
    const without = { ...draft, choices: { ...draft.choices, runtype: 'args' }, order } as const;
    assert.equal(requestOf(without, undefined).end, undefined);
  });
});

describe('a search narrowed to what fits', () => {
  it('keeps the choices with the volume, which knows its machine, but no bid', () => {
    const volume = { kind: 'link', volumeId: 3, machineId: 9, mountPath: '/data' } as const;
    const choices = { ...draft.choices, volume, bidPerHour: fromDollars(0.2) };
    const narrowed = narrowedDraft({ ...draft, choices }, { cuda: { min: 12 } });
    assert.deepEqual(narrowed.choices, { ...draft.choices, volume });
    assert.deepEqual(narrowed.query.filters.cuda, { min: 12 });
  });
});
