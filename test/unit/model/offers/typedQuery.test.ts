import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fitting } from '../../../../src/model/offers/offerMatch';
import { findPlaces } from '../../../../src/model/offers/places';
import { defaultQuery } from '../../../../src/model/offers/savedSearches';
import type { Filters } from '../../../../src/model/offers/searchFields';
import { parseTypedQuery } from '../../../../src/model/offers/typedQuery';
import { formatText } from '../../../../src/util/text';
import { marketOffer } from '../../../support/marketOffer';
import { sized } from '../../../support/seeded';

function filtersOf(line: string): Filters {
  return parseTypedQuery(line).filters;
}

function meanings(line: string): readonly string[] {
  return parseTypedQuery(line).understood.map(({ source, meaning }) => `${source} → ${formatText(meaning)}`);
}

describe('a typed search', () => {
  it('does not read a single letter before a number as a name', () => {
    assert.deepEqual(filtersOf('>=7d'), { days: { min: 7 } });
    assert.deepEqual(filtersOf('day7'), { days: { min: 7 } });
    assert.deepEqual(filtersOf('d7'), {});
  });

  it('reads the example of the placeholder, and shows what it understood', () => {
    assert.deepEqual(filtersOf('4090 x2 <0.8 eu ≥24gb'), {
      gpu: { oneOf: ['RTX 4090'] },
      gpuCount: { min: 2, max: 2 },
      pricePerHour: { max: 0.8 },
      country: { oneOf: findPlaces('eu') },
      gpuRamGb: { min: 24 },
    });
    assert.deepEqual(meanings('4090 x2 <0.8 eu ≥24gb'), [
      '4090 → GPU: RTX 4090',
      'x2 → GPUs: 2',
      '<0.8 → Price per hour: ≤ $0.80',
      'eu → Location: European Union',
      '≥24gb → Memory per GPU: ≥ 24 GB',
    ]);
  });

  const cases: readonly (readonly [line: string, filters: Filters])[] = [
    ['2x4090', { gpuCount: { min: 2, max: 2 }, gpu: { oneOf: ['RTX 4090'] } }],
    ['4090x2', { gpuCount: { min: 2, max: 2 }, gpu: { oneOf: ['RTX 4090'] } }],
    ['8x h100', { gpuCount: { min: 8, max: 8 }, gpu: { oneOf: ['H100 SXM', 'H100 NVL', 'H100 PCIE'] } }],
    ['x4+', { gpuCount: { min: 4 } }],
    ['cuda=12.2', { cuda: { min: 12.2, max: 12.2 } }],
    ['cores=32', { cpuCores: { min: 32, max: 32 } }],
    ['=0.8', { pricePerHour: { min: 0.8, max: 0.8 } }],
    ['cuda=<12.2', { cuda: { max: 12.2 } }],
    ['2gpus', { gpuCount: { min: 2, max: 2 } }],
    ['rtx 3090 ti', { gpu: { oneOf: ['RTX 3090 Ti'] } }],
    ['RTX_3090', { gpu: { oneOf: ['RTX 3090'] } }],
    ['4080 super', { gpu: { oneOf: ['RTX 4080S'] } }],
    ['4090 3090', { gpu: { oneOf: ['RTX 4090', 'RTX 3090'] } }],
    ['-4090', { gpu: { noneOf: ['RTX 4090'] } }],
    ['a100', { gpu: { oneOf: ['A100 SXM4', 'A100 PCIE'] } }],
    ['pro 6000', { gpu: { oneOf: ['RTX PRO 6000 WS', 'RTX PRO 6000 S'] } }],
    ['<$0.35', { pricePerHour: { max: 0.35 } }],
    ['$0.5', { pricePerHour: { max: 0.5 } }],
    ['0.5/h', { pricePerHour: { max: 0.5 } }],
    ['< 1', { pricePerHour: { max: 1 } }],
    ['<0,8', { pricePerHour: { max: 0.8 } }],
    ['>0.2 <0.4', { pricePerHour: { min: 0.2, max: 0.4 } }],
    ['24gb', { gpuRamGb: { min: 24 } }],
    ['24gb+', { gpuRamGb: { min: 24 } }],
    ['>= 48 gb', { gpuRamGb: { min: 48 } }],
    ['vram>=40', { gpuRamGb: { min: 40 } }],
    ['>40gb', { gpuRamGb: { min: 41 } }],
    ['vram > 40', { gpuRamGb: { min: 41 } }],
    ['more than 40gb', { gpuRamGb: { min: 41 } }],
    ['at least 40gb', { gpuRamGb: { min: 40 } }],
    ['total>80', { gpuTotalRamGb: { min: 81 } }],
    ['total≥96gb', { gpuTotalRamGb: { min: 96 } }],
    ['64gb ram', { ramGb: { min: 64 } }],
    ['ram 64gb', { ramGb: { min: 64 } }],
    ['1tb disk', { diskGb: { min: 1000 } }],
    ['16cores', { cpuCores: { min: 16 } }],
    ['99%', { reliability: { min: 99 } }],
    ['rel>0.98', { reliability: { min: 98 } }],
    ['rel>=1', { reliability: { min: 100 } }],
    ['rel>=1.5', { reliability: { min: 1.5 } }],
    ['cuda12.4', { cuda: { min: 12.4 } }],
    ['cuda >= 12.4', { cuda: { min: 12.4 } }],
    ['cc8.9', { computeCapability: { min: 8.9 } }],
    ['ports 4', { ports: { min: 4 } }],
    ['4ports', { ports: { min: 4 } }],
    ['down>500', { downMbit: { min: 500 } }],
    ['1gbit', { downMbit: { min: 1000 } }],
    ['500mbit up', { upMbit: { min: 500 } }],
    ['7d', { days: { min: 7 } }],
    ...(
      [
        ['d', 2],
        ['days', 2],
        ['w', 14],
        ['week', 14],
        ['weeks', 14],
        ['month', 60],
        ['months', 60],
      ] as const
    ).map(([unit, min]) => [`2 ${unit}`, { days: { min } }] as const),
    ['days>=36h', { days: { min: 1.5 } }],
    ['down>=2gbps', { downMbit: { min: 2000 } }],
    ['down>=500mbps', { downMbit: { min: 500 } }],
    ['ram>=512mb', { ramGb: { min: 0.512 } }],
    ['ram>=64g', { ramGb: { min: 64 } }],
    ['ram>=64gib', { ramGb: { min: 64 } }],
    ['us', { country: { oneOf: ['US'] } }],
    ['sweden de', { country: { oneOf: ['SE', 'DE'] } }],
    ['-us', { country: { noneOf: ['US'] } }],
    ['verified dc', { verified: true, datacenter: true }],
    ['unverified', { verified: false }],
    ['static vm', { staticIp: true, vm: true }],
    ['24gb cuda 12', { gpuRamGb: { min: 24 }, cuda: { min: 12 } }],
    ['64gb ram <0.8', { ramGb: { min: 64 }, pricePerHour: { max: 0.8 } }],
    ['16cores ram>=64', { cpuCores: { min: 16 }, ramGb: { min: 64 } }],
    ['4ports days >= 36h', { ports: { min: 4 }, days: { min: 1.5 } }],
    ['7d cores>=8', { days: { min: 7 }, cpuCores: { min: 8 } }],
    ['cores=32 days>=7', { cpuCores: { min: 32, max: 32 }, days: { min: 7 } }],
    ['cores >= 32 days >= 7', { cpuCores: { min: 32 }, days: { min: 7 } }],
    ['2 days <0.8', { days: { min: 2 }, pricePerHour: { max: 0.8 } }],
    ['8 cores ram 64', { cpuCores: { min: 8 }, ramGb: { min: 64 } }],
    ['8cores ports 4', { cpuCores: { min: 8 }, ports: { min: 4 } }],
    ['99% cores>=8', { reliability: { min: 99 }, cpuCores: { min: 8 } }],
    ['512mb ram', { ramGb: { min: 0.512 } }],
    ['≥99  % reliable', { reliability: { min: 99 } }],
    ['≥ 99 % reliability', { reliability: { min: 99 } }],
    ['99% rel', { reliability: { min: 99 } }],
    ['0.5/h price', { pricePerHour: { max: 0.5 } }],
    ['price 0.5', { pricePerHour: { max: 0.5 } }],
    ['64gb ram 2tb disk', { ramGb: { min: 64 }, diskGb: { min: 2000 } }],
    ['2gpus <$0.35', { gpuCount: { min: 2, max: 2 }, pricePerHour: { max: 0.35 } }],
    ['', {}],
    ['   ', {}],
  ];
  for (const [line, filters] of cases) {
    it(`reads "${line}"`, () => {
      const typed = parseTypedQuery(line);
      assert.deepEqual(typed.filters, filters);
      assert.deepEqual(typed.words, []);
    });
  }

  it('looks for a state in the rows of its country, which is all that the service filters by', () => {
    for (const [line, word] of [
      ['california', 'california'],
      ['4090 in New York', 'new york'],
      ['us north carolina 24gb', 'north carolina'],
      ['texas us', 'texas'],
      ['washington', 'washington'],
      ['washington dc', 'district of columbia'],
      ['4090 in Washington, D.C.', 'district of columbia'],
    ] as const) {
      const { filters, words } = parseTypedQuery(line);
      assert.deepEqual([filters.country, words], [{ oneOf: ['US'] }, [word]], line);
    }
    assert.equal(parseTypedQuery('washington dc').filters.datacenter, undefined);
    assert.equal(parseTypedQuery('texas dc').filters.datacenter, true);
  });

  it('looks for a state by its whole name', () => {
    const places = ['Kansas, US', 'Arkansas, US', 'Virginia, US', 'West Virginia, US'].map((location, id) =>
      marketOffer({ id, location }),
    );
    const found = (typed: string) =>
      fitting(places, defaultQuery, parseTypedQuery(typed).words).map(({ id }) => id);
    assert.deepEqual(['kansas', 'Virginia', 'west virginia', 'kans'].map(found), [[0], [2], [3], [0, 1]]);
  });

  it('looks for Georgia in the state and in the country, which its code means alone', () => {
    const { filters, words } = parseTypedQuery('georgia');
    assert.deepEqual([filters.country, words], [{ oneOf: ['GE', 'US'] }, ['georgia']]);
    assert.deepEqual(parseTypedQuery('ge').filters.country, { oneOf: ['GE'] });
    assert.deepEqual(parseTypedQuery('ge').words, []);
    const places = ['Georgia, US', 'Georgia, GE', ', GE', 'Texas, US'].map((location, id) =>
      marketOffer({ id, location, countryCode: location.slice(-2) }),
    );
    const query = { ...defaultQuery, filters };
    assert.deepEqual(
      fitting(places, query, words).map(({ id }) => id),
      [0, 1, 2],
    );
  });

  const europe = findPlaces('europe');
  /** What people write in words; each line alone, since words may belong to those beside them. */
  const spoken: readonly (readonly [line: string, filters: Filters])[] = [
    ['$10/day', { pricePerHour: { max: 0.4166 } }],
    ['<$24 a day', { pricePerHour: { max: 1 } }],
    ['$0.5 per hour', { pricePerHour: { max: 0.5 } }],
    ['1 $/h', { pricePerHour: { max: 1 } }],
    ['$0.5/', { pricePerHour: { max: 0.5 } }],
    ['<.5', { pricePerHour: { max: 0.5 } }],
    ['$0.2-$0.5', { pricePerHour: { min: 0.2, max: 0.5 } }],
    ['0.2 - 0.5', { pricePerHour: { min: 0.2, max: 0.5 } }],
    ['16-24 gb', { gpuRamGb: { min: 16, max: 24 } }],
    ['2-4 gpus', { gpuCount: { min: 2, max: 4 } }],
    ['2 x 4090', { gpuCount: { min: 2, max: 2 }, gpu: { oneOf: ['RTX 4090'] } }],
    ['4090 x 2', { gpuCount: { min: 2, max: 2 }, gpu: { oneOf: ['RTX 4090'] } }],
    ['2 4090', { gpuCount: { min: 2, max: 2 }, gpu: { oneOf: ['RTX 4090'] } }],
    ['24gb -4090', { gpuRamGb: { min: 24 }, gpu: { noneOf: ['RTX 4090'] } }],
    ['4090,3090', { gpu: { oneOf: ['RTX 4090', 'RTX 3090'] } }],
    ['4090 or 3090', { gpu: { oneOf: ['RTX 4090', 'RTX 3090'] } }],
    ['not 4090', { gpu: { noneOf: ['RTX 4090'] } }],
    ['not in united states', { country: { noneOf: ['US'] } }],
    ['4070 ti super', { gpu: { oneOf: ['RTX 4070S Ti'] } }],
    ['4090 under $0.5', { gpu: { oneOf: ['RTX 4090'] }, pricePerHour: { max: 0.5 } }],
    ['at least 24gb in europe', { gpuRamGb: { min: 24 }, country: { oneOf: europe } }],
    ['in', { country: { oneOf: ['IN'] } }],
    ['cuda 12.4 or higher', { cuda: { min: 12.4 } }],
    ['north america static ip', { country: { oneOf: findPlaces('na') }, staticIp: true }],
    ['1000 mbit down', { downMbit: { min: 1000 } }],
    ['inet_down>500 gpu_ram>=24', { downMbit: { min: 500 }, gpuRamGb: { min: 24 } }],
    ['24gb ram 64gb', { gpuRamGb: { min: 24 }, ramGb: { min: 64 } }],
    ['64gb ram 24gb', { ramGb: { min: 64 }, gpuRamGb: { min: 24 } }],
    ['24gb disk 1tb', { gpuRamGb: { min: 24 }, diskGb: { min: 1000 } }],
    ['24gb ram 64gb disk', { ramGb: { min: 24 }, diskGb: { min: 64 } }],
    ['24gb gpu memory 128gb system ram', { gpuRamGb: { min: 24 }, ramGb: { min: 128 } }],
    ['100gb disk space', { diskGb: { min: 100 } }],
    ['no us', { country: { noneOf: ['US'] } }],
    ['no china no russia', { country: { noneOf: ['CN', 'RU'] } }],
    ['eu no uk', { country: { oneOf: findPlaces('eu'), noneOf: ['GB'] } }],
    ['se no fi', { country: { oneOf: ['SE', 'NO', 'FI'] } }],
    ['4090 no', { gpu: { oneOf: ['RTX 4090'] }, country: { oneOf: ['NO'] } }],
    ['no 4090', { gpu: { noneOf: ['RTX 4090'] } }],
    ['non-eu', { country: { noneOf: findPlaces('eu') } }],
    ['anywhere but china', { country: { noneOf: ['CN'] } }],
    ['us only', { country: { oneOf: ['US'] } }],
    ['us-west', { country: { oneOf: ['US'] } }],
    ['4090 in us-east-1', { gpu: { oneOf: ['RTX 4090'] }, country: { oneOf: ['US'] } }],
    ['not us west coast', { country: { noneOf: ['US'] } }],
    ['eu north america', { country: { oneOf: [...findPlaces('eu'), ...findPlaces('na')] } }],
    ['a100-80gb', { gpu: { oneOf: ['A100 SXM4', 'A100 PCIE'] }, gpuRamGb: { min: 80 } }],
    ['NVIDIA A100-SXM4-80GB', { gpu: { oneOf: ['A100 SXM4'] }, gpuRamGb: { min: 80 } }],
    ['Tesla V100-SXM2-32GB', { gpu: { oneOf: ['Tesla V100'] }, gpuRamGb: { min: 32 } }],
    [
      'NVIDIA H100 80GB HBM3',
      { gpu: { oneOf: ['H100 SXM', 'H100 NVL', 'H100 PCIE'] }, gpuRamGb: { min: 80 } },
    ],
    ['a100 sxm', { gpu: { oneOf: ['A100 SXM4'] } }],
    ['4090-24gb', { gpu: { oneOf: ['RTX 4090'] }, gpuRamGb: { min: 24 } }],
    [
      'A100-80GB:8',
      { gpu: { oneOf: ['A100 SXM4', 'A100 PCIE'] }, gpuRamGb: { min: 80 }, gpuCount: { min: 8, max: 8 } },
    ],
    ['8*l4', { gpu: { oneOf: ['L4'] }, gpuCount: { min: 8, max: 8 } }],
    ['2x4090s', { gpu: { oneOf: ['RTX 4090'] }, gpuCount: { min: 2, max: 2 } }],
    ['gpu 4090', { gpu: { oneOf: ['RTX 4090'] } }],
    ['gpu: 4090', { gpu: { oneOf: ['RTX 4090'] } }],
    ['gpu=2', { gpuCount: { min: 2, max: 2 } }],
    ['nvidia gpu 24gb', { gpuRamGb: { min: 24 } }],
    ['single gpu 24gb', { gpuCount: { min: 1, max: 1 }, gpuRamGb: { min: 24 } }],
    ['multi-gpu', { gpuCount: { min: 2 } }],
    [
      'gpu_name=RTX_4090 geolocation=US verified=true static_ip=false',
      { gpu: { oneOf: ['RTX 4090'] }, country: { oneOf: ['US'] }, verified: true, staticIp: false },
    ],
    ['static-ip', { staticIp: true }],
    ['10 open ports', { ports: { min: 10 } }],
    ['$300/month', { pricePerHour: { max: 0.4166 } }],
    ['$1 or less', { pricePerHour: { max: 1 } }],
    ['$0.2 to $0.4', { pricePerHour: { min: 0.2, max: 0.4 } }],
    ['between 0.2 and 0.4', { pricePerHour: { min: 0.2, max: 0.4 } }],
    ['budget 0.5', { pricePerHour: { max: 0.5 } }],
  ];
  for (const [line, filters] of spoken) {
    it(`reads "${line}" as it is meant`, () => {
      const typed = parseTypedQuery(line);
      assert.deepEqual(typed.filters, filters);
      assert.deepEqual(typed.words, []);
    });
  }

  it('does not read a price for anything but time as a filter', () => {
    assert.deepEqual(parseTypedQuery('$0.5/gpu'), { filters: {}, understood: [], words: ['$0.5/gpu'] });
  });

  it('reads the rental type', () => {
    assert.equal(parseTypedQuery('4090 spot').rentalType, 'interruptible');
    assert.equal(parseTypedQuery('on-demand').rentalType, 'on-demand');
    assert.equal(parseTypedQuery('on demand 4090').rentalType, 'on-demand');
    assert.equal(parseTypedQuery('4090').rentalType, undefined);
    assert.equal(parseTypedQuery('4090 no spot').rentalType, 'on-demand');
    assert.equal(parseTypedQuery('us not on-demand').rentalType, 'interruptible');
  });

  it('does not confuse models', () => {
    assert.deepEqual(filtersOf('4080').gpu, { oneOf: ['RTX 4080'] });
    assert.deepEqual(filtersOf('4070').gpu, { oneOf: ['RTX 4070'] });
    assert.deepEqual(filtersOf('a10').gpu, { oneOf: ['A10'] });
    assert.deepEqual(filtersOf('l40').gpu, { oneOf: ['L40'] });
  });

  it('knows models that only the market knows', () => {
    const typed = parseTypedQuery('6090', ['RTX 6090', 'RTX 4090']);
    assert.deepEqual(typed.filters, { gpu: { oneOf: ['RTX 6090'] } });
  });

  it('keeps words that it does not know, to look for them in the rows', () => {
    assert.deepEqual(parseTypedQuery('epyc 4090').words, ['epyc']);
  });

  it('does not empty the list over a word that is not finished', () => {
    for (const unfinished of ['cu', 'cuda', 'cuda>', 'cuda>=', '<', '>=', 'x', 'veri', 'spo', '$', 'ra']) {
      const typed = parseTypedQuery(`4090 ${unfinished}`);
      assert.deepEqual(typed.words, [], unfinished);
      assert.deepEqual(typed.filters, { gpu: { oneOf: ['RTX 4090'] } }, unfinished);
    }
  });

  it('never throws, for any input, and does not read a member of an object as a name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (line) => {
        parseTypedQuery(line);
      }),
    );
    assert.deepEqual(filtersOf('constructor __proto__ toString'), {});
  });

  it('understands its words in any company', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(cases.map(([line]) => line).filter((line) => /^\S+$/.test(line))),
        (parts) => {
          const { words } = parseTypedQuery(parts.join('  '));
          assert.deepEqual(words, []);
        },
      ),
    );
  });

  it('means the same by them in any company', () => {
    // `24gb ram 64gb` can be read in two ways.
    const alone = cases.filter(([line]) => line.trim() !== '' && line !== 'ram 64gb');
    fc.assert(
      fc.property(fc.shuffledSubarray(alone), (parts) => {
        const taken = new Set<string>();
        const chosen = parts.filter(([, filters]) => {
          const fields = Object.keys(filters);
          const isFree = fields.every((field) => !taken.has(field));
          if (isFree) {
            for (const field of fields) {
              taken.add(field);
            }
          }
          return isFree;
        });
        const line = chosen.map(([part]) => part).join(' ');
        assert.deepEqual(filtersOf(line), Object.assign({}, ...chosen.map(([, filters]) => filters)), line);
      }),
      { numRuns: sized(200, 2000) },
    );
  });
});
