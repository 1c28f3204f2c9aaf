import assert from 'node:assert/strict';
import { fromDollars } from '../../../../src/model/money';
import { defaultQuery } from '../../../../src/model/offers/savedSearches';
import type { CompleteDraft } from '../../../../src/model/rentals/rentDraft';
import { RentFlow } from '../../../../src/model/rentals/rentFlow';
import type { RentChoices } from '../../../../src/model/rentals/rentPlan';
import { marketOffer } from '../../../support/marketOffer';
import { only } from '../../../support/only';

function aFlow(changes: Partial<CompleteDraft> = {}, isSourceGiven = false): RentFlow {
  const start: CompleteDraft = {
    title: 'Search Offers',
    offer: marketOffer(),
    query: defaultQuery,
    choices: { source: { kind: 'image', image: 'ubuntu' } },
    ...changes,
  };
  return new RentFlow(start, isSourceGiven);
}

describe('the steps of a rental', () => {
  it('lead to the confirmation, each with a default', () => {
    const flow = aFlow();
    const seen = [flow.step];
    while (flow.step !== 'confirm') {
      flow.next();
      seen.push(flow.step);
    }
    assert.deepEqual(seen, ['source', 'disk', 'label', 'runtype', 'confirm']);
    assert.deepEqual(flow.choices, { source: { kind: 'image', image: 'ubuntu' } });
    assert.equal(flow.position, 5);
  });

  it('shorten the end by the template that is chosen, until the user chooses another one', () => {
    const template = (minutes: number) =>
      only<RentChoices['source']>({
        kind: 'template',
        template: { env: `-e GPU_RENTAL_IDLE_MINUTES=${minutes}` },
      });
    const usual = { idleMinutes: 30, destroyAfterDays: 7 };
    const flow = aFlow({ choices: { source: template(15), end: usual } });
    assert.deepEqual(flow.choices.end, { ...usual, idleMinutes: 15 });
    flow.set({ source: template(60) });
    assert.deepEqual(flow.choices.end, usual);
    flow.set({ source: template(10) });
    assert.deepEqual(flow.choices.end, { ...usual, idleMinutes: 10 });
    flow.set({ end: { ...usual, idleMinutes: 120 } });
    assert.deepEqual(flow.choices.end, { ...usual, idleMinutes: 120 });
  });

  it('ask for a bid where the offer is interruptible, and not for a source that is given', () => {
    const query = { ...defaultQuery, rentalType: 'interruptible' as const };
    assert.deepEqual(aFlow({ query }).steps, ['source', 'disk', 'label', 'runtype', 'bid', 'confirm']);
    assert.deepEqual(aFlow({}, true).steps, ['disk', 'label', 'runtype', 'confirm']);
    assert.equal(aFlow({}, true).step, 'disk');
  });

  it('go back with what was answered, and out at the first', () => {
    const flow = aFlow();
    flow.next();
    flow.next({ diskGb: 50 });
    assert.ok(flow.back());
    assert.equal(flow.step, 'disk');
    assert.equal(flow.choices.diskGb, 50);
    assert.ok(flow.back());
    assert.equal(flow.step, 'source');
    assert.ok(!flow.back());
  });

  it('are skipped together, and Back returns to where that was done', () => {
    const flow = aFlow();
    flow.next();
    flow.toConfirmation();
    assert.equal(flow.step, 'confirm');
    flow.back();
    assert.equal(flow.step, 'disk');
  });

  it('return to the confirmation when they were opened from it', () => {
    const flow = aFlow();
    flow.toConfirmation();
    flow.open('label');
    flow.next({ label: 'x' });
    assert.equal(flow.step, 'confirm');
    flow.open('options');
    flow.back();
    assert.equal(flow.step, 'confirm');
    flow.open('disk');
    flow.toConfirmation();
    assert.equal(flow.step, 'confirm');
    flow.back();
    assert.equal(flow.step, 'source');
  });

  it('begins without a volume that is on another machine than the offer', () => {
    const volume = { kind: 'link' as const, volumeId: 9, machineId: 178, mountPath: '/data' };
    const begun = (machineId: number | undefined) => {
      const { machineId: own, ...offer } = marketOffer();
      assert.ok(own !== undefined);
      const choices = { source: { kind: 'image' as const, image: 'ubuntu' }, volume };
      const at = machineId === undefined ? offer : { ...offer, machineId };
      return new RentFlow({ title: 'Rent', query: defaultQuery, offer: at, choices }).choices.volume;
    };
    assert.equal(begun(179), undefined);
    assert.deepEqual(begun(178), volume);
    // A search for one machine may find offers that do not say which machine they are of.
    assert.deepEqual(begun(undefined), volume);
  });

  it('leave a volume on its machine when an offer of another one replaces the first', () => {
    const volume = { kind: 'link' as const, volumeId: 9, mountPath: '/data' };
    const rented = aFlow();
    const first = rented.offer;
    rented.set({ volume, volumePerGbMonth: fromDollars(0.1) });
    rented.replaceOffer({ ...first, totalPerHour: fromDollars(0.3) });
    assert.deepEqual(rented.choices.volume, volume);
    rented.replaceOffer({ ...first, id: 77 });
    assert.deepEqual(rented.choices.volume, volume);
    rented.replaceOffer({ ...first, id: 78, machineId: 999 });
    assert.equal(rented.choices.volume, undefined);
    assert.equal(rented.choices.volumePerGbMonth, undefined);
  });

  it('keep the answers when another offer replaces the first', () => {
    const flow = aFlow();
    flow.set({ label: 'x', diskGb: 40 });
    flow.replaceOffer(marketOffer({ id: 2 }));
    assert.equal(flow.offer.id, 2);
    assert.equal(flow.choices.label, 'x');
  });

  it('remove answers', () => {
    const flow = aFlow();
    flow.set({ runtype: 'args', diskGb: 40 });
    flow.unset('runtype');
    assert.deepEqual(flow.choices, { source: { kind: 'image', image: 'ubuntu' }, diskGb: 40 });
  });
});
