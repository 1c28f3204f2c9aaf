import assert from 'node:assert/strict';
import { instanceTools } from '../../../../src/agents/store/instanceTools';
import { marketTools } from '../../../../src/agents/store/marketTools';
import { fromDollars } from '../../../../src/model/money';
import type { OfferSearch } from '../../../../src/model/offers/filters';
import { toOfferSearch } from '../../../../src/model/offers/marketQuery';
import { defaultFilters } from '../../../../src/model/offers/searchFields';
import { agentScene, type AgentScene } from '../../../support/agentWindows';
import { anInstance, anOffer, aTemplate } from '../../../support/builders';

const { signal } = new AbortController();
const context = { caller: { id: 'a', name: 'claude', door: 'mcp' }, signal } as const;

/** Everything that the service may leave out is left out of the second of each kind. */
const bareOffer = { id: 9002, gpuCount: 2, totalPerHour: fromDollars(0.9) };
const bareInstance = { id: 5002, actualStatus: 'exited', intendedStatus: 'stopped' };

describe('The answers of the tools of agents', () => {
  let { service, computer, window } = {} as AgentScene;
  beforeEach(async () => {
    ({ service, computer, window } = await agentScene({
      offers: [
        anOffer({
          ...{ gpuRamMb: 24_576, reliability: 0.9987, countryCode: 'DE', location: 'Hessen, DE' },
          storagePerGbMonth: fromDollars(0.1),
        }),
        bareOffer,
      ],
      instances: [anInstance({ id: 5001, statusMessage: 'success' }), bareInstance],
    }));
    service.templates = [aTemplate({ recommendedDiskGb: 40 }), aTemplate({ id: 78, name: 'Bare' })];
  });
  afterEach(() => computer.dispose());

  const limitsLeft = { usdToday: 1000, usdPerHour: 100, instances: 10, hoursPerSchedule: 100 };
  const inOrder = (answer: Readonly<Record<string, unknown>>) =>
    JSON.parse(JSON.stringify(answer)) as unknown;

  it('state what is known of an offer', async () => {
    const full = {
      ...{ offer: 'offer_9001', gpuCount: 1, gpuRamGb: 24, priceUsdPerHour: 0.4, reliabilityPercent: 99.8 },
      ...{ country: 'DE', withinLimits: true, untrusted: { gpu: 'RTX 4090', location: 'Hessen, DE' } },
    };
    const bare = {
      offer: 'offer_9002',
      gpuCount: 2,
      priceUsdPerHour: 0.9,
      withinLimits: true,
      untrusted: {},
    };
    const { search_offers: search } = marketTools(window);
    assert.deepEqual(inOrder(await search({}, context)), {
      offers: [full, bare],
      total: 2,
      asOf: new Date(computer.clock.now()).toISOString(),
    });
    const limit = (perHour: number) => anOffer({ id: 9003, totalPerHour: fromDollars(perHour) });
    service.offers = [limit(100), limit(100.01)];
    const { offers } = await search({}, context);
    assert.deepEqual(
      (offers as readonly { readonly withinLimits: boolean }[]).map(({ withinLimits }) => withinLimits),
      [true, false],
    );
  });

  for (const [input, expected] of [
    [{ gpuCount: 2 }, { gpuCount: { min: 2, max: 2 } }],
    [{ minGpuRamGb: 24 }, { gpuRamGb: { min: 24 } }],
    [{ maxPriceUsdPerHour: 1.5 }, { pricePerHour: { max: 1.5 } }],
    [{ country: 'DE' }, { country: { oneOf: ['DE'] } }],
    [{ minReliabilityPercent: 99 }, { reliability: { min: 99 } }],
    [{ gpu: 'RTX 4090' }, { gpu: { oneOf: ['RTX 4090'] } }],
  ] as const) {
    it(`are for the given search, and for nothing else: ${Object.keys(input).join()}`, async () => {
      const sent: OfferSearch[] = [];
      const search = (wanted: OfferSearch) => {
        sent.push(wanted);
        return Promise.resolve({ items: [], skipped: 0 });
      };
      Object.assign(service.client.offers, { search });
      await marketTools(window).search_offers(input, context);
      const query = { rentalType: 'on-demand', sort: 'price', diskGb: 16 } as const;
      assert.deepEqual(sent, [toOfferSearch({ ...query, filters: { ...defaultFilters, ...expected } })]);
    });
  }

  it('find templates by a part of their names, of the account or of all', async () => {
    const sent: unknown[] = [];
    const search = (filters: unknown) => {
      sent.push(filters);
      return Promise.resolve({ items: [...service.templates], skipped: 0 });
    };
    Object.assign(service.client.templates, { search });
    const { list_templates: list } = marketTools(window);
    const untrusted = { name: 'Trainer', image: 'pytorch/pytorch' };
    const rows = [
      { template: 'template_77', recommendedDiskGb: 40, untrusted },
      { template: 'template_78', untrusted: { ...untrusted, name: 'Bare' } },
    ];
    assert.deepEqual(await list({}, context), { templates: rows, total: 2 });
    assert.deepEqual(await list({ text: 'bARe', scope: 'public' }, context), {
      templates: rows.slice(1),
      total: 1,
    });
    assert.deepEqual(sent, [{}, { recommended: { eq: true } }]);
  });

  for (const [what, input, answer, quoted] of [
    [
      'of an image',
      { offer: 'offer_9001', image: 'ubuntu', diskGb: 20, hours: 2, then: 'stop', label: 'mine' },
      { priceUsdPerHour: 0.4, stoppedUsdPerDay: 0.0667, totalUsd: 0.8 },
      { what: 'ubuntu', image: 'ubuntu', label: 'mine', diskGb: 20, stoppedPerHour: 2778 },
    ],
    [
      'of a template',
      { offer: 'offer_9001', template: 'template_77', diskGb: 1, hours: 3, then: 'destroy' },
      { priceUsdPerHour: 0.4, stoppedUsdPerDay: 0.0267, totalUsd: 1.2 },
      {
        ...{ what: 'Trainer', templateId: 77, templateHash: 'hash-1', diskGb: 8, stoppedPerHour: 0 },
        template: { image: 'pytorch/pytorch', isOfStranger: false, hasStartScript: false },
      },
    ],
    [
      'of an offer that states no price of storage',
      { offer: 'offer_9002', image: 'ubuntu', diskGb: 20, hours: 2, then: 'stop' },
      { priceUsdPerHour: 0.9, totalUsd: 1.8 },
      { what: 'ubuntu', image: 'ubuntu', diskGb: 20, stoppedPerHour: 900_000, isDiskUnpriced: true },
    ],
  ] as const) {
    it(`name the price of a quote ${what}, and what it is for`, async () => {
      const { quote, ...rest } = await marketTools(window).quote_rental(input, context);
      const at = computer.clock.now();
      const expiresAt = at + 600_000;
      assert.deepEqual(rest, {
        ...answer,
        ...{ creditUsd: 12, allowed: true, limitsLeft, expiresAt: new Date(expiresAt).toISOString() },
        next: 'Call request_rental with this quote and a new requestId.',
      });
      const { hours, then } = input;
      const [kept] = (await window.desk.read()).quotes;
      const { offer, perHour, total, ...about } = kept ?? assert.fail('it is kept');
      assert.deepEqual(about, {
        ...{ id: quote, accountKey: window.accounts.active?.key, at, expiresAt, hours, then },
        ...quoted,
      });
      assert.deepEqual([`offer_${offer.id}`, total], [input.offer, perHour * hours]);
    });
  }

  it('state what is known of an instance, and how old the list is', async () => {
    const endsAt = computer.clock.now() + 3_600_000;
    await window.schedules.set(5001, 'stop', { kind: 'at', at: endsAt });
    await computer.clock.advance(7000);
    const running = {
      ...{
        instance: 'inst_5001',
        state: 'running',
        gpuCount: 1,
        priceUsdPerHour: 0.4,
        storageUsdPerHour: 0.005,
      },
      ...{ scheduledEnd: new Date(endsAt).toISOString(), scheduledAction: 'stop' },
      untrusted: { label: 'training', gpu: 'RTX 4090', status: 'success' },
    };
    const stopped = { instance: 'inst_5002', state: 'stopped', untrusted: {} };
    const rest = { burnUsdPerHour: 0.4, creditUsd: 12, limitsLeft, ageSeconds: 7 };
    const { list_instances: list, get_instance: get } = instanceTools(window);
    assert.deepEqual(await list({}, context), { instances: [running, stopped], total: 2, ...rest });
    assert.deepEqual(await list({ state: 'running' }, context), { instances: [running], total: 1, ...rest });
    assert.deepEqual(await list({ state: 'stopped' }, context), { instances: [stopped], total: 1, ...rest });
    assert.deepEqual(await get({ instance: 'inst_5002' }, context), { ...stopped, ready: true });
    assert.equal(service.count('instances.logs'), 0);
  });
});
