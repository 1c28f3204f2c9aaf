import assert from 'node:assert/strict';
import fc from 'fast-check';
import { numberFields, type FieldKey } from '../../../../src/model/offers/searchFields';
import { commandLineFields } from '../../../../src/model/offers/serviceTerms';
import { parseTypedQuery, type TypedQuery } from '../../../../src/model/offers/typedQuery';
import { formatText } from '../../../../src/util/text';

function fieldsOf({ filters, unlimited = [] }: TypedQuery): readonly string[] {
  const set = Object.entries(filters).filter(([, value]) => JSON.stringify(value) !== '[]');
  return [...set.map(([key]) => key), ...unlimited];
}

function unreadOf({ unread = [] }: TypedQuery): readonly string[] {
  return unread.map(({ source, reason }) => `${source}: ${formatText(reason)}`);
}

/** Each field of the command-line client, and names that no list has. */
const unknownNames = ['foo', 'dlperf2', 'price_per_day', 'cpu', 'gpu_ram_free', 'x_y', 'inet_total'];
const names = [...Object.keys(commandLineFields), ...unknownNames.filter((name) => name !== 'cpu')];
const signs = ['=', '==', '!=', '<=', '>=', '<', '>', '≤', '≥', '<>', '=>', '=<'];
const wordsOfOperators = ['in', 'notin', 'not in', 'nin', 'eq', 'neq', 'not eq', 'gt', 'gte', 'lt', 'lte'];
const values = [
  '1',
  '0.98',
  '24',
  '750',
  '560.35.03',
  '40GB',
  '$0.5',
  '0,5',
  '3 days',
  '1,000',
  'true',
  'False',
  'any',
  '*',
  'US',
  'RTX_4090',
];
const otherValues = [
  '"RTX 3090"',
  "'DE'",
  '[US,CA]',
  '["DE","NL"]',
  '[RTX_4090, RTX_3090]',
  '[1,2]',
  '[]',
  '-1',
  'abc',
  'H100_SXM',
  'amd64',
  '[',
  '"',
  '1e9',
  '24<48',
];

/** The fields that a name may touch: its own, and a count for `gpu`. */
function ownFields(name: string): readonly string[] {
  const field: FieldKey | undefined = Object.hasOwn(commandLineFields, name)
    ? commandLineFields[name]
    : undefined;
  return name === 'gpu' ? ['gpu', 'gpuCount'] : field === undefined ? [] : [field];
}

describe('a comparison in the syntax of the command line', () => {
  const comparisons = fc
    .record({
      name: fc.constantFrom(...names),
      operator: fc.oneof(
        fc
          .tuple(fc.constantFrom(...signs), fc.constantFrom('', ' '))
          .map(([sign, space]) => `${space}${sign}${space}`),
        fc.constantFrom(...wordsOfOperators).map((word) => ` ${word} `),
      ),
      value: fc.constantFrom(...values, ...otherValues),
    })
    // `cuda12 <0.8` has two numbers.
    .filter(({ name, operator }) => name !== 'dlperf2' || !/^ [<>≤≥]|^ .*=[<>]|^ =[<>]/.test(operator))
    .filter(({ name, value }) => value !== '24<48' || name.includes('_') || name in commandLineFields)
    // `foo in US` without a list is a word and a place; of a flag, `verified in US` is as well.
    .filter(
      ({ name, operator, value }) =>
        !/in $/.test(operator) || value.startsWith('[') || /geolocation|_name/.test(name),
    );

  it('never touches another filter than that of its name, and leaves no word that empties the list', () => {
    fc.assert(
      fc.property(comparisons, ({ name, operator, value }) => {
        const line = `${name}${operator}${value}`;
        const typed = parseTypedQuery(line);
        const wrong = fieldsOf(typed).filter((field) => !ownFields(name).includes(field));
        assert.deepEqual([wrong, typed.words, typed.rentalType], [[], [], undefined], line);
      }),
      { numRuns: 4000 },
    );
  });

  it('is either a filter or named, once for each', () => {
    fc.assert(
      fc.property(fc.array(comparisons, { minLength: 1, maxLength: 4 }), (several) => {
        const parts = several.map(({ name, operator, value }) => `${name}${operator}${value}`);
        // What is not closed goes on to the end of the line.
        fc.pre(!parts.some((part) => /[["]$/.test(part) && !part.endsWith('"RTX 3090"')));
        const typed = parseTypedQuery(parts.join(' '));
        const accounted = typed.understood.length + (typed.unread ?? []).length;
        assert.equal(accounted, parts.length, `${parts.join(' ')} ${unreadOf(typed).join(' | ')}`);
      }),
      { numRuns: 1000 },
    );
  });

  it('means what the command-line client means by it', () => {
    const lines: readonly (readonly [string, unknown])[] = [
      ['geolocation in [US,CA]', { country: { oneOf: ['US', 'CA'] } }],
      ['gpu_ram>40 num_gpus<8', { gpuRamGb: { min: 41 }, gpuCount: { max: 7 } }],
      ['gpu_ram > 40 cuda_vers > 12', { gpuRamGb: { min: 41 }, cuda: { min: 12 } }],
      ['geolocation notin [CN] gpu_ram>=24', { country: { noneOf: ['CN'] }, gpuRamGb: { min: 24 } }],
      [
        'gpu_name in [RTX_4090,RTX_3090] num_gpus = 1',
        { gpu: { oneOf: ['RTX 4090', 'RTX 3090'] }, gpuCount: { min: 1, max: 1 } },
      ],
      ['gpu_name="RTX 4090" geolocation!=DE', { gpu: { oneOf: ['RTX 4090'] }, country: { noneOf: ['DE'] } }],
      [
        'gpu_name=RTX 3090 Ti geolocation=United States',
        { gpu: { oneOf: ['RTX 3090 Ti'] }, country: { oneOf: ['US'] } },
      ],
      [
        'reliability2>=0.98 compute_cap >= 750',
        { reliability: { min: 98 }, computeCapability: { min: 7.5 } },
      ],
      ['driver_version>=560.35.03 duration >= 3 days', { driver: { min: 560 }, days: { min: 3 } }],
      ['driver_version>=535086005', { driver: { min: 535 } }],
      ['inet_down>=1,000 disk_space>=1tb', { downMbit: { min: 1000 }, diskGb: { min: 1000 } }],
      [
        'rentable=true rented=False has_avx=1 verified!=true',
        { rentable: true, rented: false, avx: true, verified: false },
      ],
      [
        'not geolocation=CN -gpu_name=RTX_4090',
        { country: { noneOf: ['CN'] }, gpu: { noneOf: ['RTX 4090'] } },
      ],
      ['dph<0.5, num_gpus>=2', { pricePerHour: { max: 0.5 }, gpuCount: { min: 2 } }],
      [
        "vastai search offers 'reliability > 0.98  num_gpus=1' ",
        { reliability: { min: 98 }, gpuCount: { min: 1, max: 1 } },
      ],
      [
        'gpu=4090 cpu_arch=amd64 machine_id in [12,13]',
        { gpu: { oneOf: ['RTX 4090'] }, cpuKind: { oneOf: ['amd64'] }, machine: { oneOf: ['12', '13'] } },
      ],
    ];
    for (const [line, filters] of lines) {
      const typed = parseTypedQuery(line);
      assert.deepEqual(typed.filters, filters, line);
      assert.deepEqual([typed.words, unreadOf(typed)], [[], []], line);
    }
    assert.equal(parseTypedQuery('vastai search offers num_gpus=1 --type bid').rentalType, 'interruptible');
    assert.deepEqual(parseTypedQuery('verified=any').unlimited, ['verified']);
  });

  it('is named with the reason where it filters nothing', () => {
    assert.deepEqual(
      unreadOf(parseTypedQuery('gpu_ram>=24 foo > 5 pcie_bw >= 12 score>3 num_gpus!=2 cuda>=abc 4090')),
      [
        'foo >5: There is no filter with the name foo.',
        'pcie_bw >= 12: Choose “PCIe bandwidth” under Filters.',
        'score>3: The list can’t be filtered by score.',
        'num_gpus!=2: num_gpus can’t be compared with this value.',
        'cuda>=abc: cuda can’t be compared with this value.',
      ],
    );
    assert.deepEqual(unreadOf(parseTypedQuery("vastai search offers num_gpus=1 -o 'dph-'")), [
      "order='dph-': There is no filter with the name order.",
    ]);
  });

  it('leaves prices after a name that belongs to the rows or to a filter', () => {
    for (const line of [
      'epyc <0.8',
      '3090 ti <0.8',
      '4080 super<0.8',
      'texas <0.8',
      '99% reliability <0.8',
      'h100<0.8',
      'eu < 0.8',
    ]) {
      assert.deepEqual(parseTypedQuery(line).filters.pricePerHour, { max: 0.8 }, line);
      assert.deepEqual(unreadOf(parseTypedQuery(line)), [], line);
    }
  });

  it('filters and names nothing while it is typed', () => {
    const line = 'geolocation notin [CN';
    for (let end = 4; end < line.indexOf('CN'); end += 1) {
      const typed = parseTypedQuery(`4090 ${line.slice(0, end)}`);
      assert.deepEqual(
        [fieldsOf(typed), typed.words, unreadOf(typed)],
        [['gpu'], [], []],
        line.slice(0, end),
      );
    }
  });

  it('knows each number field by the name of the service', () => {
    for (const [key, { wire }] of Object.entries(numberFields)) {
      assert.equal(commandLineFields[wire], key);
    }
  });
});
